import CalotypeBulk
import CalotypeCore
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct NamedFetchTests {
    private static func job(
        _ folder: borrowing Folder,
        _ urls: [String],
        _ loader: ScriptedLoader
    ) -> NamedFetch {
        let entries = urls.enumerated().map { NamedFetch.Entry(name: "app-\($0.offset)", url: $0.element) }
        return NamedFetch(entries, into: folder.output, cachePolicy: .reload, loader: loader)
    }

    @Test func `pictures have their names and failures are reported`() async throws {
        let folder = try Folder()
        let loader = ScriptedLoader()
        let seen = Guarded<[String: String]>([:])
        let failures = try await Self.job(folder, ["ok:10", "fail:http_404", "ok:20"], loader).run {
            outcome in
            let text: String
            switch outcome.result {
            case .success(let name): text = name
            case .failure(let error): text = error.code.rawValue
            }
            seen.withLock { $0[outcome.entry.url] = text }
        }
        #expect(failures == 1)
        #expect(
            seen.withLock { $0 } == ["ok:10": "app-0.jpg", "fail:http_404": "http_404", "ok:20": "app-2.jpg"]
        )
        #expect(try folder.outputNames() == ["app-0.jpg", "app-2.jpg"])
        #expect(loader.requests.allSatisfy { $0.cachePolicy == .reload && $0.output == .original })
    }

    @Test func `a folder that cannot be created is reported before anything is loaded`() async throws {
        let folder = try Folder()
        let loader = ScriptedLoader()
        let file = try folder.write([1], to: "file")
        let job = NamedFetch([.init(name: "a", url: "ok:1")], into: file + "/out", loader: loader)
        await #expect(throws: BulkError.self) { try await job.run() }
        #expect(loader.requests.isEmpty)
    }

    @Test func `a cancelled run ends immediately, and what was finished stays`() async throws {
        let folder = try Folder()
        let loader = ScriptedLoader()
        let job = Self.job(folder, ["ok:10", "hang:", "hang:"], loader)
        let (finished, finish) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    _ = try await job.run { _ in finish.finish() }
                    return false
                } catch is CancellationError {
                    return true
                }
            }
            for await _ in finished {}
            await loader.untilHanging(2)
            group.cancelAll()
            return try await group.next()
        }
        #expect(isCancelled == true)
        #expect(try folder.outputNames() == ["app-0.jpg"])
    }
}
