import CalotypeCore
import CalotypePublish
import TaskFlow

/// A destination that does what the protocol wants of one, over a server that does not.
///
/// Each run has one of its own, by which its calls are told from others'.
struct TrialDestination: PublishDestination {
    /// What a run has shown of itself.
    struct Trail {
        var publication: String?
        var progress: PublishProgress?
        /// When a server's wish for silence began, and when it is over.
        var silence: Range<ContinuousClock.Instant>?
    }

    let name = "trial"
    let width = PostWitness.width
    let fixture: PostFixture
    let trail = Guarded(Trail())
    let watch: ProgressWatch

    func limits(_ client: PublishClient) async throws -> MediaLimits {
        _ = try await asking { try await fixture.call(.findPost(""), for: .limits) }
        return MediaLimits()
    }

    // MARK: Media

    func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        trail.withLock { $0.publication = String(session.key.prefix(36)) }
        fixture.witness { $0.uploadBegins(session.key, session.state) }
        do {
            let number = try await asking {
                fixture.manner.takesPieces
                    ? try await sendPieces(medium, session) : try await sendWhole(medium, session)
            }
            fixture.witness { $0.uploadEnds(session.key, isTaken: true) }
            return UploadedMedium(id: "\(number)")
        } catch {
            let startsOver = (error as? PublishError)?.remedy == .startOver
            fixture.witness { $0.uploadEnds(session.key, startsOver: startsOver) }
            throw error
        }
    }

    private func sendWhole(_ medium: PreparedMedium, _ session: UploadSession) async throws -> Int {
        let place = CallPlace.medium(medium.position)
        if session.state != .none, let known = try await fixture.call(.find(key: session.key), for: place) {
            return known
        }
        try await remember(["key": session.key], session)
        let size = medium.file.size.bytes
        guard let number = try await fixture.call(.put(key: session.key, size: size), for: place) else {
            throw PostFixture.failure(.http(status: 500), .retry)
        }
        tell(medium.file.size, medium, session)
        fixture.tell(of: number)
        return number
    }

    private func sendPieces(_ medium: PreparedMedium, _ session: UploadSession) async throws -> Int {
        let place = CallPlace.medium(medium.position)
        var number = session.state.value([String: Int].self)?["number"]
        var received = 0
        if let number {
            guard let there = try await fixture.call(.received(number), for: place) else {
                throw PostFixture.failure(.http(status: 410), .startOver)
            }
            received = there
            tell(ByteCount(received), medium, session)
        } else if let created = try await fixture.call(
            .create(key: session.key, size: medium.file.size.bytes),
            for: place
        ) {
            number = created
            fixture.tell(of: created)
            try await remember(["number": created], session)
        }
        guard let number else { throw PostFixture.failure(.http(status: 500), .retry) }
        while received < medium.file.size.bytes {
            let piece = ServerAct.append(number, offset: received, count: 1)
            guard let there = try await fixture.call(piece, for: place) else {
                throw PostFixture.failure(.http(status: 410), .startOver)
            }
            received = there
            tell(ByteCount(received), medium, session)
        }
        return number
    }

    private func remember(_ value: some Encodable, _ session: UploadSession) async throws {
        let state = try RememberedState(value)
        fixture.witness { $0.remembers(session.key, state) }
        try await session.remember(value)
        fixture.witness { $0.hasRemembered(session.key, state) }
    }

    private func tell(_ count: ByteCount, _ medium: PreparedMedium, _ session: UploadSession) {
        watch.serverSays(count, of: medium.position)
        session.acknowledge(count)
        watch.look()
    }

    // MARK: The post

    func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        trail.withLock { $0.publication = session.key }
        fixture.witness { $0.postBegins(session.key, mayHaveBeenSent: session.mayHaveBeenSent) }
        // What was found out about earlier attempts, if there were any.
        let isAlone = Guarded(!session.mayHaveBeenSent)
        do {
            let number = try await asking { try await send(draft, session, isAlone) }
            fixture.witness { $0.postEnds(session.key) }
            return PublishedPost(id: "\(number)", url: nil, media: draft.media.map(\.uploaded))
        } catch {
            let isRefusal = (error as? PublishError).map { $0.remedy != .settle } ?? false
            fixture.witness { $0.postEnds(session.key, isRefused: isRefusal && isAlone.withLock(\.self)) }
            throw error
        }
    }

    private func send(
        _ draft: PostDraft,
        _ session: PostSession,
        _ isAlone: Guarded<Bool>
    ) async throws -> Int {
        if session.mayHaveBeenSent {
            switch fixture.manner.settling {
            case .key: break
            case .lookUp:
                if let number = try await fixture.call(.findPost(session.key), for: .post) { return number }
                isAlone.withLock { $0 = true }
                session.confirmNotPublished()
            case .never: throw PostFixture.failure(.http(status: 409), .settle)
            }
        }
        if fixture.manner.hasDrafts, session.state == .none {
            try await session.remember(["draft": session.key])
            _ = try await fixture.call(.draft(session.key), for: .post)
        }
        let media = draft.media.compactMap { Int($0.uploaded.id) }
        fixture.witness { $0.postLeaves(session.key) }
        if !media.allSatisfy({ fixture.contents.isComplete($0) }) {
            fixture.find("a post is sent with a medium that the server does not have")
        }
        guard let number = try await fixture.call(.post(key: session.key, media: media), for: .post) else {
            throw PostFixture.failure(.http(status: 500), .settle)
        }
        return number
    }

    // MARK: Removals

    func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        guard let key = Self.key(state, uploaded, fixture.contents) else { return .removed }
        fixture.witness { $0.removalBegins(key) }
        let number = uploaded.flatMap { Int($0.id) } ?? state.value([String: Int].self)?["number"]
        if fixture.manner.takesPieces, let number {
            _ = try await fixture.call(.delete(number), for: .removal)
        } else {
            _ = try await fixture.call(.deleteNamed(key), for: .removal)
        }
        return .removed
    }

    /// The key of an upload by what is remembered of it, or by what it is called now.
    private static func key(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ contents: ServerContents
    ) -> String? {
        if let key = state.value([String: String].self)?["key"] { return key }
        let number = uploaded.flatMap { Int($0.id) } ?? state.value([String: Int].self)?["number"]
        return number.map { contents.media[$0].key }
    }

    func discardDraft(_ state: RememberedState, _ client: PublishClient) async throws {
        guard let key = state.value([String: String].self)?["draft"] else { return }
        _ = try await fixture.call(.removeDraft(key), for: .removal)
    }

    // MARK: Silence

    /// Sees that nothing begins that the server wished not to come yet.
    private func asking<Output>(_ body: () async throws -> Output) async throws -> Output {
        let now = ContinuousClock.now
        // At the moment of the wish itself the publisher may not have heard of it.
        if let silence = trail.withLock(\.silence), silence.lowerBound < now, now < silence.upperBound {
            fixture.find("an attempt begins while the server wants none")
        }
        do {
            return try await body()
        } catch {
            if case .wait(let time?)? = (error as? PublishError)?.remedy {
                let heard = ContinuousClock.now
                trail.withLock { trail in
                    trail.silence = heard..<max(heard + time, trail.silence?.upperBound ?? heard)
                }
            }
            throw error
        }
    }
}
