public import CalotypeCore

/// How far a publication has progressed, according to the server.
public struct PublishState: Hashable, Sendable {
    /// The stage of a publication.
    public enum Stage: String, Hashable, Sendable {
        /// Files are being read; nothing has been sent.
        case preparing
        /// Media are being uploaded.
        case uploading
        /// All media are ready, and the post is being sent.
        case posting
        /// The post is published.
        case posted
        /// The post is not published; uploaded media stay on the server for a resume.
        case failed
        /// The publication was cancelled; the post is not published.
        case cancelled
        /// Whether the post is published is unknown; a resume finds out.
        case unknown

        /// Whether the stage is final.
        public var isLast: Bool {
            switch self {
            case .preparing, .uploading, .posting: false
            case .posted, .failed, .cancelled, .unknown: true
            }
        }
    }

    /// How far one medium has progressed.
    public struct Item: Hashable, Sendable {
        /// The stage of a medium.
        public enum Stage: String, Hashable, Sendable {
            /// The upload has not started.
            case waiting
            /// The file is being read or reduced.
            case preparing
            /// The file is being sent.
            case uploading
            /// The server has the whole file, and processes it.
            case processing
            /// The server has the medium, and the publisher is still checking its pixels.
            case checking
            /// The server has the medium, and can use it.
            case ready
            /// The upload failed.
            case failed
        }

        /// The file name that is sent to the server.
        public var name: String
        /// The size of the file to send; the size of the source until that is known.
        public var size = ByteCount(0)
        /// How many bytes have been sent.
        public var sent = ByteCount(0)
        /// How many bytes the server says it has.
        public var acknowledged = ByteCount(0)
        /// The stage.
        public var stage = Stage.waiting
        /// The number of the current attempt, from 1; 0 before the first.
        public var attempt = 0
        /// Whether this is a photo that is sent without its GPS position.
        public var losesLocation = false
        /// How often the server has lost bytes that it had acknowledged.
        public var rewinds = 0
        /// Why the last attempt failed, until the next one makes progress.
        public var problem: String?
        /// When the next attempt begins; `nil` if no pause is in progress.
        public var waitsUntil: ContinuousClock.Instant?
    }

    /// The stage.
    public var stage = Stage.preparing
    /// The media, in the order of the post.
    public var items: [Item] = []
    /// Until when nothing is sent, because the server asked for a pause.
    public var rateLimitedUntil: ContinuousClock.Instant?
    /// Why the last attempt to send the post itself failed.
    public var problem: String?
    /// When the next attempt to send the post itself begins.
    public var waitsUntil: ContinuousClock.Instant?

    /// Creates the initial state.
    public init() {}

    /// The size of all media.
    public var total: ByteCount { ByteCount(items.reduce(0) { $0 + $1.size.bytes }) }
    /// How many bytes the server says it has.
    public var acknowledged: ByteCount { ByteCount(items.reduce(0) { $0 + $1.acknowledged.bytes }) }
    /// How often the server has lost bytes that it had acknowledged.
    public var rewinds: Int { items.reduce(0) { $0 + $1.rewinds } }

    /// The fraction of all bytes that the server says it has, from 0 to 1.
    ///
    /// It is exactly 1 when the post is published.
    public var fraction: Double {
        guard stage != .posted else { return 1 }
        guard total.bytes > 0 else { return 0 }
        return Double(acknowledged.bytes) / Double(total.bytes)
    }
}

extension PublishState {
    /// The stage, in a word or two.
    package var title: String {
        switch stage {
        case .preparing: "preparing"
        case .uploading: "uploading"
        case .posting: "posting"
        case .posted: "published"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .unknown: "unknown"
        }
    }

    /// The overall progress, in phrases, the most important first.
    package func phrases(at now: ContinuousClock.Instant = .now) -> [String] {
        var phrases: [String] = []
        if let end = rateLimitedUntil, end > now {
            phrases.append("rate limited: retrying in \(Self.seconds(until: end, now))")
        }
        if let problem, !stage.isLast, phrases.isEmpty {
            let pause = waitsUntil.map { "retrying in \(Self.seconds(until: $0, now)): " } ?? ""
            phrases.append(pause + problem)
        }
        if !items.isEmpty { phrases.append("\(ready) of \(items.count) ready") }
        if total.bytes > 0 { phrases.append("\(acknowledged) of \(total)") }
        return phrases
    }

    /// How many media the server can use.
    package var ready: Int { items.count { $0.stage == .ready } }

    /// The fraction of all bytes that have been sent, whether the server has acknowledged them or not.
    package var fractionSent: Double {
        guard total.bytes > 0 else { return fraction }
        let sent = items.reduce(0) { $0 + max($1.sent.bytes, $1.acknowledged.bytes) }
        return Double(sent) / Double(total.bytes)
    }

    /// Whether the server may have a part of a medium.
    package var mayBeUp: Bool { items.contains { $0.attempt > 0 || $0.acknowledged.bytes > 0 } }

    /// Returns the time until `end`, in seconds or, if it is long, minutes; at least one second.
    static func seconds(until end: ContinuousClock.Instant, _ now: ContinuousClock.Instant) -> String {
        let rest = now.duration(to: end)
        let seconds = max(Int((rest / .seconds(1)).rounded(.up)), 1)
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
    }

    /// Returns what servers have lost since the state `before`, which a progress bar does not show.
    package func losses(since before: PublishState) -> [String] {
        zip(before.items, items).compactMap { old, new in
            guard new.rewinds > old.rewinds else { return nil }
            return "\(new.name): the server lost data; continuing from \(new.acknowledged)"
        }
    }

    /// Returns what has failed since the state `before`, and is being retried.
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
        return "\(name): \(problem); retrying in \(seconds(until: end, now))"
    }
}

extension PublishState.Item {
    /// The medium's progress, in phrases, the most important first.
    package func phrases(at now: ContinuousClock.Instant = .now) -> [String] {
        if let problem = shortProblem, stage != .ready {
            guard stage != .failed else { return ["failed: \(problem)"] }
            let pause = waitsUntil.flatMap { end in
                end > now ? "retrying in \(PublishState.seconds(until: end, now))" : nil
            }
            return ["\(pause ?? "attempt \(attempt)"), \(problem)"]
        }
        switch stage {
        case .waiting: return [size.bytes > 0 ? "waiting, \(size)" : "waiting"]
        case .preparing: return ["preparing"]
        case .uploading:
            let rest = sent > acknowledged ? ["\(sent) sent"] : []
            return ["\(acknowledged) of \(size)"] + rest + (attempt > 1 ? ["attempt \(attempt)"] : [])
        case .processing: return ["the server is processing it"]
        case .checking: return ["uploaded, checking the image"]
        case .ready: return ["ready, \(size)"]
        case .failed: return ["failed"]
        }
    }

    /// Why the last attempt failed, without the name, which is shown next to it.
    fileprivate var shortProblem: String? {
        problem?.replacing(" \(name)", with: "")
    }

    /// The fraction that has been sent, whether the server has acknowledged it or not.
    package var fractionSent: Double {
        size.bytes > 0 ? Double(max(sent.bytes, acknowledged.bytes)) / Double(size.bytes) : fraction
    }

    /// The fraction that the server has, from 0 to 1.
    package var fraction: Double {
        size.bytes > 0 ? Double(acknowledged.bytes) / Double(size.bytes) : stage == .ready ? 1 : 0
    }
}
