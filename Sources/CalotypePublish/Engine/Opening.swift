internal import CalotypeCore
internal import CalotypeHTTP
internal import Digests
internal import FoundationEssentials
internal import SQLiteConnection
internal import TaskFlow

/// The beginning of a publication: what the server takes, what the media are, and what the journal knows.
struct Opening: Sendable {
    let publisher: Publisher
    let destination: any PublishDestination
    let progress: PublishProgress

    /// Opens a new publication, or the one that is to be resumed.
    func open(_ post: Post, _ repetition: Repetition, note: String?) async throws -> Publication {
        progress.update { $0.items = post.media.enumerated().map(Self.item) }
        let (limits, plans) = try await plan(post, isResumed: repetition == .resume)
        progress.update { state in
            for plan in plans {
                state.items[plan.position].name = plan.name
                state.items[plan.position].size = plan.sourceSize ?? ByteCount(0)
                state.items[plan.position].stage = .waiting
            }
        }
        let new = NewPublication(
            id: UUID().uuidString.lowercased(),
            fingerprint: try Self.fingerprint(of: post, plans),
            destination: destination.name,
            note: note,
            text: post.text,
            items: plans.map { ($0.name, $0.origin) }
        )
        let (number, lock) = try await take(new, repetition)
        guard
            let record = try await publisher.journal.read({ database throws(SQLiteError) in
                try database.publication(number)
            })
        else { throw CalotypeError(.storageFailed, "the journal lost the publication", stage: .store) }
        return Publication(
            post,
            plans: plans,
            limits: limits,
            record: record,
            lock: lock,
            opening: self
        )
    }

    /// Asks the server what it takes, and looks at the media.
    func plan(
        _ post: Post,
        isResumed: Bool = false
    ) async throws -> (limits: MediaLimits, media: [PlannedMedium]) {
        let limits = try await limits()
        try checkVisibility(of: post, limits)
        // A post that is resumed may be at the server since a time when its schedule was far enough ahead.
        if !isResumed { try checkSchedule(of: post, limits) }
        let inspector = MediaInspector(
            pipeline: publisher.pipeline,
            disk: publisher.disk,
            limits: limits,
            needsMD5: destination.needsMD5
        )
        return (limits, try await inspector.plan(post))
    }

    private func checkVisibility(of post: Post, _ limits: MediaLimits) throws(CalotypeError) {
        guard let visibility = post.visibility, let known = limits.visibilities, !known.contains(visibility)
        else { return }
        throw MediaInspector.refused(
            "the server has no posts of the visibility \"\(visibility.rawValue)\": choose another, or none"
        )
    }

    private func checkSchedule(of post: Post, _ limits: MediaLimits) throws(CalotypeError) {
        guard let schedule = post.schedule, let ahead = limits.scheduleAhead,
            schedule - publisher.configuration.wallClock() < ahead
        else { return }
        throw MediaInspector.refused(
            "the post is to be shown at \(schedule.internetText), and the server wants it \(ahead.components.seconds) s before: choose a later "
                + "time, or none"
        )
    }

    private func limits() async throws -> MediaLimits {
        let pacing = Pacing(publisher.configuration.clock, progress: progress)
        var attempts = Attempts(publisher.configuration, pacing)
        while true {
            try await pacing.wait()
            do {
                return try await destination.limits(publisher.client)
            } catch {
                if error is CancellationError { throw error }
                _ = try await attempts.recover(from: PublishFailure(error)) { pause in
                    progress.update { state in
                        state.problem = "\(PublishFailure(error).error.message)"
                        state.waitsUntil = .now + pause
                    }
                }
            }
        }
    }

    private static func item(_ position: Int, _ medium: Media) -> PublishState.Item {
        var name = medium.name
        if case .file(let path) = medium.source {
            name = name ?? path.split(separator: "/").last.map(String.init)
        }
        return PublishState.Item(name: name ?? "medium \(position + 1)", stage: .preparing)
    }

    // MARK: The journal

    /// Finds or begins the publication, and takes it for this process.
    private func take(
        _ new: NewPublication,
        _ repetition: Repetition
    ) async throws -> (number: Int64, lock: PublicationLock) {
        let now = publisher.configuration.wallClock()
        let choice = try await publisher.journal.write(.begin) { database throws(SQLiteError) in
            let known = try database.publications(new.fingerprint, to: new.destination)
            let choice = KnownPublications(known, new).choice(repetition)
            guard case .begin = choice else { return choice }
            try database.prune(keeping: PublishJournal.remembered)
            return .goOn(try database.insert(new, at: now))
        }
        switch choice {
        case .goOn(let number):
            guard let lock = try publisher.journal.lock(number) else {
                throw CalotypeError(
                    .publishBusy,
                    "another process is publishing the same post to \(new.destination)",
                    stage: .request
                )
            }
            return (number, lock)
        case .refuse(let error): throw error
        case .begin: preconditionFailure("a publication was to begin, and did not")
        }
    }

    /// The same for posts that are described in the same way, whatever is in their files.
    private static func fingerprint(of post: Post, _ plans: [PlannedMedium]) throws -> String {
        var parts = [
            post.text, post.visibility?.rawValue ?? "", post.language ?? "",
            post.schedule.map { "\($0.secondsSince1970)" } ?? "",
        ]
        for plan in plans {
            let medium = plan.medium
            let source = if case .file(let path) = medium.source { path } else { plan.origin }
            let focus = medium.focus.map { "\($0.x) \($0.y)" } ?? ""
            parts += [source, medium.name ?? "", medium.altText ?? "", focus]
        }
        return try Digest(.sha256, of: parts.map { "\($0.utf8.count):\($0)" }.joined()).hexadecimal
    }
}
