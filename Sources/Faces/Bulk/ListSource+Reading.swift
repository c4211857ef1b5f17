internal import TaskFlow

extension ListSource {
    /// Reads the whole list into memory, for those who show it; what comes after `limit` entries is left out.
    ///
    /// - Returns: The entries in order, at least one.
    /// - Throws: ``FetchSetupError`` when the list has no entries or cannot be read; `CancellationError`.
    package func entries(limit: Int) async throws -> [ListItem] {
        try await withThreadExecutor(name: "list", threads: 1) { executor in
            let reader = try URLListReader(self, executor: executor)
            try await reader.checkFirst()
            var entries: [ListItem] = []
            while entries.count < limit, let item = try await reader.next() { entries.append(item) }
            return entries
        }
    }
}
