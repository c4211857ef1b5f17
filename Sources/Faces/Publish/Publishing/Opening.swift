internal import CalotypeCore
internal import CalotypeHTTP
internal import CalotypeSQLite
internal import FoundationEssentials
internal import TaskFlow

/// The beginning of a publication: what the server takes, what the media are, and what the journal knows.
struct Opening: Sendable {
    let publisher: Publisher
    let destination: any PublishDestination
    let progress: PublishProgress

    /// Opens a new publication, or the one that is to be resumed.
    func open(_ post: Post, _ repetition: Repetition, note: String?) async throws -> Publication {
        progress.update { $0.items = post.media.enumerated().map(Self.item) }
        let (limits, plans) = try await plan(post, isResumed: [.resume, .resumeOrBegin].contains(repetition))
        progress.update { state in
            for plan in plans {
                state.items[plan.position].name = plan.name
                state.items[plan.position].size = plan.sourceSize ?? ByteCount(0)
                state.items[plan.position].stage = .waiting
            }
        }
        let new = NewPublication(
            id: UUID().uuidString.lowercased(),
            identity: try PostIdentity(post, plans, to: destination),
            destination: destination.name,
            note: note,
            text: post.text,
            items: plans.map { ($0.name, $0.origin) }
        )
        let (number, lock) = try await take(new, repetition)
        guard let record = try await publisher.journal.publication(number) else {
            throw CalotypeError(.storageFailed, "the journal lost the publication", stage: .store)
        }
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
            needsMD5: destination.needsMD5,
            keepsLocation: publisher.configuration.keepsLocation
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
            try await attempts.wait()
            do {
                let limits = try await destination.limits(publisher.client)
                progress.update { ($0.problem, $0.waitsUntil) = (nil, nil) }
                return limits
            } catch {
                try Publication.checkCancellation(error)
                _ = try await attempts.recover(from: PublishError(error)) { pause in
                    progress.update { state in
                        state.problem = "\(PublishError(error).error.message)"
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
        let journal = publisher.journal
        let taken = try await journal.write(.begin) { database throws(SQLiteError) -> Taken in
            let known = try database.publications(new.identity)
            let similar =
                known.isEmpty && repetition == .resume ? try database.publications(ofText: new.text) : []
            // Whoever has the lock of one that is not over works on it, though nothing may be at the server yet.
            let isLive = known.contains { !$0.state.isOver && journal.tryLock($0.number) == nil }
            if isLive, repetition != .again { return .busy }
            switch KnownPublications(known, similar: similar, new).choice(repetition) {
            case .goOn(let number): return Taken(number, journal.tryLock(number))
            case .refuse(let error): return .refused(error)
            case .begin:
                try database.prune(keeping: PublishJournal.remembered)
                let number = try database.insert(new, at: now)
                return Taken(number, journal.tryLock(number))
            }
        }
        switch taken {
        case .yes(let number, let lock): return (number, lock)
        case .refused(let error): throw error
        case .busy:
            throw CalotypeError(
                .publishBusy,
                "another process is publishing the same post to \(new.destination)",
                stage: .request
            )
        }
    }

    /// What came of the attempt to take a publication.
    private enum Taken: Sendable {
        case yes(Int64, PublicationLock)
        case busy
        case refused(CalotypeError)

        init(_ number: Int64, _ lock: PublicationLock?) {
            self = lock.map { .yes(number, $0) } ?? .busy
        }
    }
}
