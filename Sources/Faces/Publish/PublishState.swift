public import CalotypeCore

/// How far a publication has come, as the server has told.
public struct PublishState: Hashable, Sendable {
    /// What the publication does.
    public enum Stage: String, Hashable, Sendable {
        /// Files are looked at; nothing has been sent.
        case preparing
        /// Media go up.
        case uploading
        /// All media are ready, and the post is sent.
        case posting
        /// The post is published.
        case posted
        /// The post is not published; what is up stays there for a resume.
        case failed
        /// It was cancelled; the post is not published.
        case cancelled
        /// Whether the post is published is not known; a resume finds out.
        case unknown

        /// Whether nothing comes after it.
        public var isLast: Bool {
            switch self {
            case .preparing, .uploading, .posting: false
            case .posted, .failed, .cancelled, .unknown: true
            }
        }
    }

    /// How far one medium has come.
    public struct Item: Hashable, Sendable {
        /// What a medium does.
        public enum Stage: String, Hashable, Sendable {
            /// Its turn has not come.
            case waiting
            /// It is looked at, or made smaller.
            case preparing
            /// It is sent.
            case uploading
            /// The server has all of it, and works on it.
            case processing
            /// The server has it, and can use it.
            case ready
            /// It cannot be brought to the server.
            case failed
        }

        /// The name that the server is told.
        public var name: String
        /// How many bytes it has: those of the source as long as it is not known what is sent.
        public var size = ByteCount(0)
        /// How many bytes have left.
        public var sent = ByteCount(0)
        /// How many bytes the server says that it has.
        public var acknowledged = ByteCount(0)
        /// What it does.
        public var stage = Stage.waiting
        /// The number of its attempts, from 1; 0 before the first.
        public var attempt = 0
        /// Whether it is a photo that is sent without the place where it was made.
        public var losesLocation = false
        /// How often the server has lost bytes that it had acknowledged.
        public var rewinds = 0
        /// Why the last attempt failed, until the next one gets on.
        public var problem: String?
        /// Until when it waits for its next attempt; `nil` while it does not wait.
        public var waitsUntil: ContinuousClock.Instant?
    }

    /// What the publication does.
    public var stage = Stage.preparing
    /// The media in the order of the post.
    public var items: [Item] = []
    /// Until when nothing is sent, because the server wants it so.
    public var rateLimitedUntil: ContinuousClock.Instant?
    /// Why the last attempt at the post itself failed.
    public var problem: String?
    /// Until when the post itself waits for its next attempt.
    public var waitsUntil: ContinuousClock.Instant?

    /// Creates the state before the beginning.
    public init() {}

    /// How many bytes all media have.
    public var total: ByteCount { ByteCount(items.reduce(0) { $0 + $1.size.bytes }) }
    /// How many bytes the server says that it has.
    public var acknowledged: ByteCount { ByteCount(items.reduce(0) { $0 + $1.acknowledged.bytes }) }
    /// How often the server has lost bytes that it had acknowledged.
    public var rewinds: Int { items.reduce(0) { $0 + $1.rewinds } }

    /// The part of all bytes that the server says that it has, from 0 to 1; exactly 1 when the post is published.
    public var fraction: Double {
        guard stage != .posted else { return 1 }
        guard total.bytes > 0 else { return 0 }
        return Double(acknowledged.bytes) / Double(total.bytes)
    }
}

extension PublishState {
    /// What happens, a word or two.
    package var title: String {
        switch stage {
        case .preparing: "preparing"
        case .uploading: "uploading"
        case .posting: "posting"
        case .posted: "published"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .unknown: "not known"
        }
    }

    /// How far all of it has come, in phrases, the most important first.
    package func phrases(at now: ContinuousClock.Instant = .now) -> [String] {
        var phrases: [String] = []
        if let end = rateLimitedUntil, end > now {
            phrases.append("the server wants a pause: \(Self.seconds(until: end, now)) left")
        }
        if let problem, !stage.isLast, phrases.isEmpty {
            let pause = waitsUntil.map { "again in \(Self.seconds(until: $0, now)): " } ?? ""
            phrases.append(pause + problem)
        }
        if !items.isEmpty { phrases.append("\(ready) of \(items.count) ready") }
        if total.bytes > 0 { phrases.append("\(acknowledged) of \(total)") }
        return phrases
    }

    /// How many media the server can use.
    package var ready: Int { items.count { $0.stage == .ready } }

    /// The part of all bytes that has left, whether the server has told that it has them or not.
    package var fractionSent: Double {
        guard total.bytes > 0 else { return fraction }
        let sent = items.reduce(0) { $0 + max($1.sent.bytes, $1.acknowledged.bytes) }
        return Double(sent) / Double(total.bytes)
    }

    /// Whether the server may have something of a medium.
    package var mayBeUp: Bool { items.contains { $0.attempt > 0 || $0.stage == .ready } }

    /// The time until `end`, in seconds or, where that is long, minutes; never less than a second.
    static func seconds(until end: ContinuousClock.Instant, _ now: ContinuousClock.Instant) -> String {
        let rest = now.duration(to: end)
        let seconds = max(Int((rest / .seconds(1)).rounded(.up)), 1)
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
    }

    /// What servers have lost since the state `before`, which nobody sees in a bar.
    package func losses(since before: PublishState) -> [String] {
        zip(before.items, items).compactMap { old, new in
            guard new.rewinds > old.rewinds else { return nil }
            return "\(new.name): the server lost bytes that it had; it goes on from \(new.acknowledged)"
        }
    }

    /// What has failed since the state `before`, and is tried again.
    package func problems(since before: PublishState, at now: ContinuousClock.Instant = .now) -> [String] {
        var problems = zip(before.items, items).compactMap { old, new in
            let isNew = new.problem != old.problem || new.attempt != old.attempt && new.waitsUntil != nil
            return isNew ? Self.line(new.name, new.shortProblem, new.waitsUntil, now) : nil
        }
        if problem != before.problem, let line = Self.line("the post", problem, waitsUntil, now) {
            problems.append(line)
        }
        return problems
    }

    private static func line(
        _ name: String,
        _ problem: String?,
        _ end: ContinuousClock.Instant?,
        _ now: ContinuousClock.Instant
    ) -> String? {
        guard let problem, let end else { return nil }
        return "\(name): \(problem); again in \(seconds(until: end, now))"
    }
}

extension PublishState.Item {
    /// How far it has come, in phrases, the most important first.
    package func phrases(at now: ContinuousClock.Instant = .now) -> [String] {
        if let problem = shortProblem, stage != .ready {
            guard stage != .failed else { return ["failed: \(problem)"] }
            let pause = waitsUntil.flatMap { end in
                end > now ? "again in \(PublishState.seconds(until: end, now))" : nil
            }
            return ["\(pause ?? "attempt \(attempt)"), \(problem)"]
        }
        switch stage {
        case .waiting: return [size.bytes > 0 ? "waiting, \(size)" : "waiting"]
        case .preparing: return ["preparing"]
        case .uploading:
            let rest = sent > acknowledged ? ["\(sent) sent"] : []
            return ["\(acknowledged) of \(size)"] + rest + (attempt > 1 ? ["attempt \(attempt)"] : [])
        case .processing: return ["the server works on it"]
        case .ready: return ["ready, \(size)"]
        case .failed: return ["failed"]
        }
    }

    /// Why the last attempt failed, without the name, which stands beside it.
    fileprivate var shortProblem: String? {
        problem?.replacing(" \(name)", with: "")
    }

    /// The part that has left, whether the server has told that it has it or not.
    package var fractionSent: Double {
        size.bytes > 0 ? Double(max(sent.bytes, acknowledged.bytes)) / Double(size.bytes) : fraction
    }

    /// The part that the server has, from 0 to 1.
    package var fraction: Double {
        size.bytes > 0 ? Double(acknowledged.bytes) / Double(size.bytes) : stage == .ready ? 1 : 0
    }
}
