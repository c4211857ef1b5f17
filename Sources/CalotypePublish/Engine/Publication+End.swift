internal import CalotypeCore
internal import SQLiteConnection
internal import TaskFlow

extension Publication {
    /// Writes down how it ended; after a cancellation removes what is at the server.
    func end(after error: (any Error)?) async {
        // Owner: this call, which awaits it. A task of its own, because the end of a cancelled publication is not cancelled.
        await Task { await self.close(error) }.value
    }

    private func close(_ error: (any Error)?) async {
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
            if await write(.cancelled, error) { await removeLeftovers() }
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
        let problem = error.map { $0 is CancellationError ? "cancelled" : Self.message($0) }
        do {
            try await publisher.journal.write(.state) { [record] database throws(SQLiteError) in
                try database.setState(state, problem: problem, in: record.number)
            }
            return true
        } catch {
            return false
        }
    }

    private func removeLeftovers() async {
        let cleanup = Cleanup(record.number, at: destination, of: publisher)
        let time = publisher.configuration.cleanupTime
        // What is not removed in time stays in the journal.
        _ = try? await withTimeout(time, clock: publisher.configuration.clock) { try await cleanup.run() }
    }

    /// Removes the files that were made for it.
    func removeFiles() async {
        let folder = publisher.journal.files(of: record)
        try? await publisher.disk.run { JournalFolder.remove(folder) }
    }
}
