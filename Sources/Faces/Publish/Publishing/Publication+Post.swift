internal import CalotypeCore
internal import CalotypeHTTP
internal import TaskFlow

extension Publication {
    /// Sends the post, or finds that it is already published, with as many attempts as necessary.
    func publishPost() async throws {
        guard course.withLock(\.published) == nil else { return progress.update { $0.stage = .posted } }
        let draft = try draft()
        progress.update { $0.stage = .posting }
        try await publisher.disk.run { [room] in try room.take() }
        // The first error in this run that left the outcome unknown.
        var opening: CalotypeError?
        do {
            try await Attempts(publisher.configuration, pacing, isPost: true).run { _ in
                progress.update { $0.waitsUntil = nil }
                do {
                    try await finish(with: publishOnce(draft))
                } catch {
                    let failure = PublishError(error, isPost: true)
                    if failure.remedy == .settle { opening = opening ?? failure.error }
                    throw error
                }
            } pausing: { failure, pause in
                progress.update { ($0.problem, $0.waitsUntil) = (failure.error.message, .now + pause) }
            }
        } catch let error as CalotypeError {
            throw final(error, after: opening)
        }
    }

    private func draft() throws(CalotypeError) -> PostDraft {
        let course = course.withLock(\.self)
        let media = post.media.indices.compactMap { course.isReady($0) ? course.ready[$0] : nil }
        guard media.count == post.media.count else {
            throw CalotypeError(
                .mediaMissing,
                "\(post.media.count - media.count) of \(post.media.count) media are not ready; upload them before the post",
                stage: .request
            )
        }
        return PostDraft(post, media: media)
    }

    /// Makes one attempt; afterwards, ``Course/sent`` shows whether the post may be on the server.
    private func publishOnce(_ draft: PostDraft) async throws -> PublishedPost {
        let (sent, remembered) = course.withLock { ($0.sent, $0.rememberedOfPost) }
        let isAlone = Guarded(sent == nil)
        try await note(sentAt: sent ?? publisher.configuration.wallClock())
        let session = PostSession(
            client: publisher.client,
            key: record.id,
            mayHaveBeenSent: sent != nil,
            firstSent: sent,
            state: remembered,
            remember: { try await self.rememberPost($0) },
            confirmNotPublished: { isAlone.withLock { $0 = true } }
        )
        do {
            return try await destination.publish(draft, session)
        } catch {
            try Self.checkCancellation(error)
            // Nothing was sent before this attempt, and the server refused it: the post is not published.
            if isAlone.withLock(\.self), PublishError(error, isPost: true).remedy != .settle {
                try await note(sentAt: nil)
            }
            throw error
        }
    }

    private func note(sentAt moment: WallTime?) async throws {
        guard course.withLock({ $0.sent != moment }) else { return }
        if let moment {
            try await publisher.journal.sent(record, at: moment)
        } else {
            try await publisher.journal.refused(record)
        }
        course.withLock { $0.sent = moment }
    }

    private func rememberPost(_ state: RememberedState) async throws {
        course.withLock { $0.rememberedOfPost = state }
        try await publisher.journal.rememberedPost(state, of: record)
    }

    private func finish(with published: PublishedPost) async throws {
        course.withLock { $0.published = published }
        await giveRoomBack()
        try await publisher.journal.posted(published, of: record)
        await removeFiles()
        progress.update { ($0.stage, $0.problem, $0.waitsUntil) = (.posted, nil, nil) }
    }

    /// Returns the error that the publication ends with.
    private func final(_ error: CalotypeError, after opening: CalotypeError?) -> CalotypeError {
        let (sent, published) = course.withLock { ($0.sent, $0.published) }
        guard let published else { return sent == nil ? error : Self.unknown(error, after: opening) }
        let place = published.url ?? published.id ?? destination.name
        return CalotypeError(
            .publishedNotRecorded,
            "the post is published as \(place), but the journal could not record it: \(error.message)",
            stage: error.stage,
            url: published.url,
            cause: error
        )
    }

    private static func unknown(_ error: CalotypeError, after opening: CalotypeError?) -> CalotypeError {
        let reason = opening.flatMap { $0.message == error.message ? nil : ": \($0.message)" } ?? ""
        return CalotypeError(
            .outcomeUnknown,
            "the post may or may not be published\(reason); resume to find out. The last error: \(error.message)",
            stage: .response,
            url: error.url,
            cause: error
        )
    }
}
