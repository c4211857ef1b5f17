internal import CalotypeCore
internal import CalotypeHTTP
internal import TaskFlow

/// The opening of a publication: it needs the server's limits, the media, and the journal's records.
struct Opening: Sendable {
    let publisher: Publisher
    let destination: any PublishDestination
    let progress: PublishProgress

    /// Opens a new publication, or the one to resume.
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
            identity: try PostIdentity(post, plans, to: destination),
            destination: destination.name,
            note: note,
            text: post.text,
            items: plans.map { ($0.name, $0.origin) }
        )
        let now = publisher.configuration.wallClock()
        let (record, lock) = try await publisher.journal.begin(new, repetition, at: now)
        return Publication(
            post,
            plans: plans,
            limits: limits,
            record: record,
            lock: lock,
            opening: self
        )
    }

    /// Requests the server's limits, and examines the media.
    func plan(
        _ post: Post,
        isResumed: Bool = false
    ) async throws -> (limits: MediaLimits, media: [PlannedMedium]) {
        let limits = try await limits()
        try checkVisibility(of: post, limits)
        guard post.contentWarning == nil || limits.supportsContentWarnings else {
            throw MediaInspector.refused(
                "the server has no content warnings; write the warning at the beginning of the text"
            )
        }
        // The server may have a resumed post since a time when its schedule was far enough ahead.
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
            "the server does not support the visibility \"\(visibility.rawValue)\"; choose another, or remove it"
        )
    }

    private func checkSchedule(of post: Post, _ limits: MediaLimits) throws(CalotypeError) {
        guard let schedule = post.schedule, let ahead = limits.scheduleAhead,
            schedule - publisher.configuration.wallClock() < ahead
        else { return }
        throw MediaInspector.refused(
            "the post is scheduled for \(schedule.internetText), but the server needs it \(ahead.components.seconds) s earlier; choose a later "
                + "time, or remove the schedule"
        )
    }

    private func limits() async throws -> MediaLimits {
        let pacing = Pacing(publisher.configuration.clock, progress: progress)
        return try await Attempts(publisher.configuration, pacing).run { _ in
            let limits = try await destination.limits(publisher.client)
            progress.update { ($0.problem, $0.waitsUntil) = (nil, nil) }
            return limits
        } pausing: { failure, pause in
            progress.update { ($0.problem, $0.waitsUntil) = (failure.error.message, .now + pause) }
        }
    }

    private static func item(_ position: Int, _ medium: Media) -> PublishState.Item {
        var name = medium.name
        if case .file(let path) = medium.source {
            name = name ?? path.split(separator: "/").last.map(String.init)
        }
        return PublishState.Item(name: name ?? "medium \(position + 1)", stage: .preparing)
    }
}
