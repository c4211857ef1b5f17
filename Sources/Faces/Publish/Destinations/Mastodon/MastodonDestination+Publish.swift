internal import CalotypeCore
internal import CalotypeHTTP

extension MastodonDestination {
    private static let doing = "publish the post"
    /// How long Mastodon stores a key, minus a margin for clock differences.
    private static let keyLifetime = Duration.seconds(50 * 60)
    /// How far back to search if the clock does not show when the first request was sent.
    private static let unsureTime = Duration.seconds(7 * 86_400)

    /// Sends the post.
    ///
    /// If an earlier request may have arrived, this method checks first whether the post exists.
    ///
    /// - Throws: `invalid_request` if the schedule is too near; `upload_lost` if the server has dropped
    ///   media; otherwise as ``PublishDestination/publish(_:_:)`` describes.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        let api = api(session.client)
        if session.mayHaveBeenSent, let post = try await settled(draft, session, api) { return post }
        try checkSchedule(of: draft, session)
        let response = try await send(draft, session, api)
        guard response.isSuccess else {
            let failure = try await refusal(response, of: draft, session, api)
            // The media may be missing because the post that was sent earlier already uses them.
            if failure.error.code == .uploadLost, session.mayHaveBeenSent,
                let post = try await found(draft, session, api, isMastodon: true)
            {
                return post
            }
            // Mastodon looks up the key before it validates the request.
            if response.status == 422 { session.confirmNotPublished() }
            throw failure
        }
        do {
            return try response.json(MastodonStatus.self).published(draft)
        } catch {
            throw PublishError(error.error, .settle)
        }
    }

    // MARK: Sending

    private func send(
        _ draft: PostDraft,
        _ session: PostSession,
        _ api: MastodonServer
    ) async throws -> PublishResponse {
        var request = try HTTPRequest(api.url("/api/v1/statuses"), json: MastodonStatusRequest(draft))
        try request.addHeader("Idempotency-Key", session.key)
        request.needsNewConnection = true
        return try await PublishError.settlingRedirects(from: request.url) { [request] in
            try await api.send(request, to: Self.doing)
        }
    }

    private func checkSchedule(of draft: PostDraft, _ session: PostSession) throws(PublishError) {
        // The server responds to a repetition with the first request's result, however late it arrives.
        guard !session.mayHaveBeenSent, let schedule = draft.schedule,
            schedule - session.client.time < MastodonStatusRequest.scheduleAhead
        else { return }
        let error = CalotypeError(
            .invalidRequest,
            "the post is scheduled for \(schedule.internetText), but the server needs it at least five minutes earlier; "
                + "choose a later time, or remove the schedule",
            stage: .request
        )
        throw PublishError(error, .none)
    }

    // MARK: Refusals

    private func refusal(
        _ response: PublishResponse,
        of draft: PostDraft,
        _ session: PostSession,
        _ api: MastodonServer
    ) async throws -> PublishError {
        let failure = response.failureOfPost(Self.doing, reason: api.reason(response))
        guard response.status == 422, !draft.media.isEmpty else { return failure }
        // A server may state its reason in any language.
        if api.reason(response)?.contains("finished processing") == true {
            return PublishError(failure.error, .retry)
        }
        switch try await leastReady(of: draft, api) {
        case .processing: return PublishError(failure.error, .retry)
        case .missing: return PublishError(Self.lost(failure.error), .none)
        case .ready: return failure
        }
    }

    private enum Readiness { case processing, missing, ready }

    private func leastReady(of draft: PostDraft, _ api: MastodonServer) async throws -> Readiness {
        var least = Readiness.ready
        for medium in draft.media {
            let request = try api.request(
                .get,
                "/api/v1/media/\(MastodonServer.segment(medium.uploaded.id))"
            )
            switch try await api.send(request, to: "check \(medium.medium.name)").status {
            case 206: return .processing
            case 404: least = .missing
            default: break
            }
        }
        return least
    }

    private static func lost(_ error: CalotypeError) -> CalotypeError {
        CalotypeError(
            .uploadLost,
            "the server has deleted media of the post, or uses them in another post; publish it again. \(error.message)",
            stage: .response,
            url: error.url
        )
    }

    // MARK: Settling

    /// Returns the post if it exists, or `nil` if it must be sent.
    ///
    /// It is sent either for the first time or again with its key.
    ///
    /// - Throws: `outcome_unknown` if that cannot be determined.
    private func settled(
        _ draft: PostDraft,
        _ session: PostSession,
        _ api: MastodonServer
    ) async throws -> PublishedPost? {
        let age = session.client.time - (session.firstSent ?? session.client.time)
        let isMastodon = try await api.instance()?.isMastodon == true
        // If the clock was set back, we cannot know whether the server still has the key.
        if isMastodon, (.zero..<Self.keyLifetime).contains(age) { return nil }
        let isQuiet = try await session.isQuiet()
        if let post = try await found(draft, session, api, isMastodon: isMastodon) { return post }
        guard isQuiet else {
            throw MastodonSearch.unknown("it may still arrive", server, .settle)
        }
        session.confirmNotPublished()
        try await session.noteSending()
        return nil
    }

    private func found(
        _ draft: PostDraft,
        _ session: PostSession,
        _ api: MastodonServer,
        isMastodon: Bool
    ) async throws -> PublishedPost? {
        let now = session.client.time
        let first = session.firstSent ?? now
        let search = MastodonSearch(
            api: api,
            draft: draft,
            since: first <= now ? first : now + (.zero - Self.unsureTime),
            isSure: first <= now,
            isMastodon: isMastodon
        )
        return try await search.run()?.published(draft)
    }
}
