internal import CalotypeCore
internal import TaskFlow

extension Publication {
    /// Records the outcome; also removes uploads from the server if no resume can use them.
    func end(after error: (any Error)?) async {
        // Owner: this call, which awaits the task. The task is separate so that the end of a cancelled
        // publication is not cancelled itself.
        await Task { await self.close(error) }.value
        release()
    }

    private func close(_ error: (any Error)?) async {
        await giveRoomBack()
        let (sent, isPublished, hasDamage) = course.withLock { ($0.sent, $0.published != nil, $0.hasDamage) }
        guard !isPublished else {
            // A process that died before it removed the files has left them.
            await removeFiles()
            return progress.update { $0.stage = .posted }
        }
        if sent != nil {
            await write(.posting, error.map(Self.message))
            progress.update { $0.stage = .unknown }
        } else if error is CancellationError {
            await end(.cancelled, PublicationRecord.cancelled)
            progress.update { $0.stage = .cancelled }
        } else if hasDamage, let problem = error.map(Self.message) {
            await end(.failed, problem)
            progress.update { ($0.stage, $0.problem) = (.failed, problem) }
        } else {
            await write(.failed, error.map(Self.message))
            let now = try? await publisher.journal.publication(record.number)
            if let now, !now.isUnfinished { await removeFiles() }
            progress.update { ($0.stage, $0.problem) = (.failed, error.map(Self.message)) }
        }
    }

    /// Records the final state, and then removes the uploads.
    private func end(_ state: PublicationState, _ problem: String) async {
        let unnamed = unnamed
        // If the journal still offers this publication for a resume, the uploads must stay.
        guard await write(state, problem) else { return }
        let kept = await removeLeftovers()
        guard let rest = Self.rest(kept: kept, unnamed: unnamed) else { return }
        await write(state, state == .cancelled ? rest : "\(problem); \(rest)")
    }

    /// Records the final state, and returns whether that succeeded.
    ///
    /// It does not throw, because the error that ended the publication matters more than a failing journal.
    @discardableResult
    private func write(_ state: PublicationState, _ problem: String?) async -> Bool {
        do {
            try await publisher.journal.ended(record, state, because: problem)
            return true
        } catch {
            return false
        }
    }

    /// Removes uploads from the server, and returns the names of those that the server cannot remove.
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

    /// The names of the media whose upload was cut off before the server reported an ID for them.
    ///
    /// These media cannot be removed.
    private var unnamed: [String] {
        let course = course.withLock(\.self)
        return progress.current.items.enumerated().compactMap { position, item in
            let isNamed = course.ready[position] != nil || course.remembered[position] ?? .none != .none
            return isNamed || item.sent.bytes == 0 ? nil : item.name
        }
    }

    /// Returns a description of what may stay on the server for good; `nil` if nothing may.
    private static func rest(kept: [String], unnamed: [String]) -> String? {
        var sentences: [String] = []
        if !kept.isEmpty {
            sentences.append("this server cannot delete \(kept.joined(separator: ", "))")
        }
        if !unnamed.isEmpty {
            let names = unnamed.joined(separator: ", ")
            sentences.append(
                "the upload of \(names) was interrupted before the server returned an ID, so the server may keep it for a while"
            )
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// Releases the disk space that was reserved for the journal.
    func giveRoomBack() async {
        // This fails only if the executor has ended, and the executor outlives this publication.
        try? await publisher.disk.run { [room] in room.giveBack() }
    }

    /// Removes the files that were created for the publication.
    func removeFiles() async {
        let folder = publisher.journal.files(of: record)
        try? await publisher.disk.run { JournalFolder.remove(folder) }
    }
}
