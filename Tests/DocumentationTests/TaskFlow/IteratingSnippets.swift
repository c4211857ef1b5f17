import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct IteratingSnippets {
    private struct NoMirrorAnswered: Error {}

    private let urls = (1...20).map { "https://example.org/\($0)" }
    private let mirrors = ["https://a.example.org", "https://b.example.org"]

    private func download(_ url: String) async throws -> [UInt8] {
        Array(url.utf8)
    }

    private func thumbnail(of url: String) async throws -> Int { url.utf8.count }

    @Test func `results as they come`() async throws {
        // snippet: Iterating.results
        await withConcurrentResults(of: urls, limit: 8) { url in
            try await download(url)
        } body: { results in
            for await result in results {
                switch result.result {
                case .success(let bytes): print("\(result.input): \(bytes.count) bytes")
                case .failure(let error): print("\(result.input): \(error)")
                }
            }
        }
        // end
    }

    @Test func `results are reported`() async {
        let reported = Guarded<[Int]>([])
        @Sendable func report(_ result: ConcurrentResult<String, [UInt8]>) {
            reported.withLock { $0.append(result.index) }
        }
        // snippet: Iterating.comment
        await withConcurrentResults(of: urls, limit: 8) { url in
            try await download(url)
        } body: { results in
            for await result in results { report(result) }
        }
        // end
        #expect(reported.withLock { $0.sorted() } == Array(urls.indices))
    }

    @Test func `the first failure ends it`() async throws {
        // snippet: Iterating.failFast
        let pages = try await withConcurrentResults(of: urls, limit: 8, order: .input) { url in
            try await download(url)
        } body: { results in
            var pages: [[UInt8]] = []
            for try await result in results.failFast {
                pages.append(try result.result.get())
            }
            return pages
        }
        // end
        #expect(pages.map { String(decoding: $0, as: UTF8.self) } == urls)
    }

    @Test func `the first success ends it`() async throws {
        // snippet: Iterating.first
        let fastest = try await withConcurrentResults(of: mirrors, limit: mirrors.count) { mirror in
            try await download(mirror)
        } body: { results in
            for await result in results {
                if case .success(let bytes) = result.result { return bytes }
            }
            throw NoMirrorAnswered()
        }
        // end
        #expect(fastest.count == 21)
    }

    @Test func `the loop stands elsewhere`() async throws {
        let shown = Guarded<[Int]>([])
        @Sendable func show(_ thumbnails: ConcurrentResults<String, Int, Never>) async {
            for await thumbnail in thumbnails.prefix(3) { shown.withLock { $0.append(thumbnail.index) } }
        }
        // snippet: Iterating.scope
        await withTaskScope { scope in
            let thumbnails = urls.concurrentResults(limit: 4, in: scope) { url in
                try await thumbnail(of: url)
            }
            await show(thumbnails)
        }
        // end
        #expect(shown.withLock { $0.count } == 3)
    }
}
