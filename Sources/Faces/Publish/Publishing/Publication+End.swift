internal import CalotypeCore
internal import TaskFlow

extension Publication {
    /// Writes down how it ended; after a cancellation removes what is at the server.
    func end(after error: (any Error)?) async {
        // Owner: this call, which awaits it. A task of its own, because the end of a cancelled publication is not cancelled.
        await Task { await self.close(error) }.value
        release()
    }

    private func close(_ error: (any Error)?) async {
        await giveRoomBack()
        let (sent, isPublished) = course.withLock { ($0.sent, $0.published != nil) }
        guard !isPublished else {
            // A process that died between the two has left them.
            await removeFiles()
            return progress.update { $0.stage = .posted }
        }
        let isCancelled = error is CancellationError
        if sent != nil {
            await write(.posting, error)
            progress.update { $0.stage = .unknown }
        } else if isCancelled {
            // What the journal would still offer to a resume must stay.
            let unnamed = unnamed
            if await write(.cancelled, error) {
                let kept = await removeLeftovers()
                if let rest = Self.rest(kept: kept, unnamed: unnamed) { await write(.cancelled, rest) }
            }
            progress.update { $0.stage = .cancelled }
        } else {
            await write(.failed, error)
            let now = try? await publisher.journal.publication(record.number)
            if let now, !now.isUnfinished { await removeFiles() }
            progress.update { ($0.stage, $0.problem) = (.failed, error.map(Self.message)) }
        }
    }

    /// Writes the last state, and tells whether that succeeded; a journal that fails is not worth more than the error that led here.
    @discardableResult
    private func write(_ state: PublicationState, _ error: (any Error)?) async -> Bool {
        await write(
            state,
            error.map { $0 is CancellationError ? PublicationRecord.cancelled : Self.message($0) }
        )
    }

    @discardableResult
    private func write(_ state: PublicationState, _ problem: String?) async -> Bool {
        do {
            try await publisher.journal.ended(record, state, because: problem)
            return true
        } catch {
            return false
        }
    }

    /// Removes what is at the server, and returns the names of what the server keeps.
    private func removeLeftovers() async -> [String] {
        // What is not removed in time stays in the journal.
        let time = publisher.configuration.cleanupTime
        let sure = course.withLock(\.sure)
        let kept = try? await withTimeout(time, clock: publisher.configuration.clock) {
            [publisher, record, destination] () async throws -> [String] in
            let record = try await publisher.journal.publication(record.number)
            return try await Cleanup(record, sure: sure, at: destination, of: publisher).run()
        }
        return kept ?? []
    }

    /// The names of the media whose upload was cut before the server had named them, so that they cannot be removed.
    private var unnamed: [String] {
        let course = course.withLock(\.self)
        return progress.current.items.enumerated().compactMap { position, item in
            let isNamed = course.ready[position] != nil || course.remembered[position] ?? .none != .none
            return isNamed || item.sent.bytes == 0 ? nil : item.name
        }
    }

    /// What may stay at the server for good; `nil` where nothing does.
    private static func rest(kept: [String], unnamed: [String]) -> String? {
        var sentences: [String] = []
        if !kept.isEmpty {
            sentences.append("the server has no way to remove \(kept.joined(separator: ", "))")
        }
        if !unnamed.isEmpty {
            let names = unnamed.joined(separator: ", ")
            sentences.append(
                "the upload of \(names) was cut before the server named it, so that the server may keep it for a time"
            )
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// Gives back the room that was set aside for the journal.
    func giveRoomBack() async {
        // It fails only with the executor, which outlives this.
        try? await publisher.disk.run { [room] in room.giveBack() }
    }

    /// Removes the files that were made for it.
    func removeFiles() async {
        let folder = publisher.journal.files(of: record)
        try? await publisher.disk.run { JournalFolder.remove(folder) }
    }
}
