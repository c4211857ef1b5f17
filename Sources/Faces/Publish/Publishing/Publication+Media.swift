internal import CalotypeCore
internal import CalotypeHTTP
internal import TaskFlow

extension Publication {
    /// Uploads one medium, with as many attempts as the publisher allows, and checks its pixels meanwhile.
    ///
    /// A full decode takes longer than most uploads. The upload does not wait for it, but the post does.
    func upload(_ position: Int) async throws {
        guard course.withLock({ !$0.isReady(position) && $0.published == nil }) else { return }
        do {
            let check = Job { try await self.checkPixels(of: position) }
            try await Job<Void>.group([check, Job { try await self.bringUp(position) }]).run()
            tell(position) { $0.stage = .ready }
        } catch {
            if !(error is CancellationError) {
                tell(position) {
                    ($0.stage, $0.problem, $0.waitsUntil) = (.failed, "\(Self.message(error))", nil)
                }
            }
            if (error as? CalotypeError)?.isDamage == true { course.withLock { $0.hasDamage = true } }
            throw error
        }
    }

    private func checkPixels(of position: Int) async throws {
        guard course.withLock({ !$0.checked.contains(position) }) else { return }
        try await publisher.pipeline.checkPixels(of: plans[position])
        course.withLock { _ = $0.checked.insert(position) }
    }

    private func bringUp(_ position: Int) async throws {
        guard course.withLock({ $0.ready[position] == nil }) else { return }
        let medium = try await prepare(position)
        // A medium that an earlier run uploaded is not uploaded again.
        let kept = record.items[position].uploaded
        let uploaded = if let kept { kept } else { try await attempt(medium) }
        course.withLock { $0.ready[position] = PostDraft.Medium(medium, uploaded) }
        tell(position) { item in
            (item.stage, item.problem, item.waitsUntil) = (.checking, nil, nil)
            (item.sent, item.acknowledged) = (item.size, item.size)
        }
    }

    // MARK: File

    private func prepare(_ position: Int) async throws -> PreparedMedium {
        tell(position) { $0.stage = .preparing }
        let plan = plans[position]
        let thumbnail = try await maker.thumbnail(for: plan)
        let made = try await madeBefore(position)
        let (file, type, name) = if let made { made } else { try await make(plan) }
        let losesLocation = plan.losesLocation && file.path != plan.making.path
        tell(position) { ($0.name, $0.size, $0.losesLocation) = (name, file.size, losesLocation) }
        return PreparedMedium(
            position: position,
            name: name,
            file: file,
            type: type,
            altText: plan.medium.altText,
            focus: plan.medium.focus,
            thumbnail: thumbnail
        )
    }

    private func make(_ plan: PlannedMedium) async throws -> (SourceFile, MediaType, String) {
        let (file, type, name) = try await maker.file(for: plan)
        let item = record.items[plan.position]
        let isOther = item.file.map { $0.sha256 != file.sha256 } ?? false
        try await publisher.journal.made(
            file,
            type,
            named: name,
            for: plan.position,
            of: record,
            replacing: isOther
        )
        if isOther {
            course.withLock { $0.remembered[plan.position] = RememberedState.none }
            // If the upload cannot be removed now, the server drops it eventually.
            _ = try? await destination.discard(item.remembered, nil, publisher.client)
        }
        return (file, type, name)
    }

    /// Returns the file that an earlier run sent, if it still exists or is no longer needed.
    private func madeBefore(_ position: Int) async throws -> (SourceFile, MediaType, String)? {
        let item = record.items[position]
        guard let file = item.file, let type = item.type else { return nil }
        if item.uploaded != nil { return (file, type, item.name) }
        // A user's own file was read again when the publication was opened.
        if case .file(let found) = plans[position].making, found.sha256 == file.sha256 {
            return (found, type, item.name)
        }
        // The earlier run was configured to keep the GPS position.
        if case .placeless(let found) = plans[position].making, found.path == file.path { return nil }
        let needsMD5 = destination.needsMD5
        let found = try? await publisher.disk.run { try FileInspection(file.path, needsMD5: needsMD5) }.file
        guard let found, found.sha256 == file.sha256 else { return nil }
        return (found, type, item.name)
    }

    // MARK: Attempts

    private func attempt(_ medium: PreparedMedium) async throws -> UploadedMedium {
        let highest = Guarded(ByteCount(0))
        return try await Attempts(publisher.configuration, pacing).run { attempt in
            tell(medium.position) { item in
                (item.stage, item.waitsUntil) = (.uploading, nil)
                item.attempt += 1
            }
            let uploaded = try await attemptOnce(medium, highest)
            // An earlier run creates the file before its first attempt.
            let isOnly = attempt == 1 && record.items[medium.position].file == nil
            if isOnly { course.withLock { _ = $0.sure.insert(medium.position) } }
            return uploaded
        } reached: {
            highest.withLock(\.self)
        } pausing: { failure, pause in
            tell(medium.position) { ($0.problem, $0.waitsUntil) = (failure.error.message, .now + pause) }
        } startOver: {
            try await startOver(medium.position)
        }
    }

    private func attemptOnce(
        _ medium: PreparedMedium,
        _ highest: Guarded<ByteCount>
    ) async throws -> UploadedMedium {
        let position = medium.position
        try await publisher.disk.run { try medium.file.checkUnchanged() }
        let session = UploadSession(
            client: publisher.client,
            key: "\(record.id)-\(position)",
            state: course.withLock { $0.remembered[position] ?? .none },
            remember: { try await self.remember($0, of: position) },
            tell: { self.hear($0, of: position, highest) },
            pause: { try await self.pacing.sleep($0) }
        )
        let uploaded = try await destination.upload(medium, session)
        try await publisher.disk.run { try medium.file.checkUnchanged() }
        try await publisher.journal.uploaded(uploaded, as: position, of: record)
        return uploaded
    }

    /// Handles an event of an attempt.
    private func hear(_ news: UploadSession.News, of position: Int, _ highest: Guarded<ByteCount>) {
        switch news {
        case .sent(let count): tell(position) { $0.sent = min(count, $0.size) }
        case .processing: tell(position) { $0.stage = .processing }
        case .acknowledged(let count):
            highest.withLock { $0 = max($0, count) }
            tell(position) { item in
                let count = min(count, item.size)
                if count < item.acknowledged { item.rewinds += 1 }
                if count > item.acknowledged { item.problem = nil }
                item.acknowledged = count
            }
        }
    }

    private func startOver(_ position: Int) async throws {
        try await remember(.none, of: position)
        tell(position) { item in
            if item.acknowledged.bytes > 0 { item.rewinds += 1 }
            (item.sent, item.acknowledged) = (ByteCount(0), ByteCount(0))
        }
    }

    private func remember(_ state: RememberedState, of position: Int) async throws {
        course.withLock { $0.remembered[position] = state }
        try await publisher.journal.remembered(state, for: position, of: record)
    }

    // MARK: Errors

    /// Throws `CancellationError` if a cancellation caused `error`.
    static func checkCancellation(_ error: any Error) throws {
        if error is CancellationError { throw error }
        try Task.checkCancellation()
    }

    static func message(_ error: any Error) -> String {
        switch error {
        case let error as CalotypeError: error.message
        case let failure as PublishError: failure.error.message
        default: "\(error)"
        }
    }
}

extension CalotypeError {
    /// Whether the picture itself is damaged, so that another attempt would fail too.
    fileprivate var isDamage: Bool { code == .corruptImage || code == .truncatedImage }
}
