internal import CalotypeCore

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
