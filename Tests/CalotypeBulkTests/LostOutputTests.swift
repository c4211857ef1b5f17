import CalotypeBulk
import CalotypeCore
import CalotypePlatform
import FoundationEssentials
import TaskFlow
import Testing

/// What a run cannot write, or is taken away from it: never exit code 0.
@Suite(.timeLimit(.minutes(1)))
struct LostOutputTests {
    /// Loads `lose` by taking something away, and all else as `ScriptedLoader` does.
    private struct TakingLoader: RenditionLoading {
        let take: @Sendable () -> Void

        func load(_ request: ImageRequest) async throws -> Rendition {
            if case .url("lose") = request.source { take() }
            return ScriptedLoader.rendition(10, .jpeg)
        }
    }

    private static func options(_ folder: borrowing Folder, _ urls: [String]) -> FetchOptions {
        var options = FetchOptions(source: .urls(urls), output: folder.output)
        options.stateHome = folder.state
        options.window = 1
        return options
    }

    /// The summary, and the warnings of the run.
    private static func run(
        _ options: FetchOptions,
        _ loader: any RenditionLoading
    ) async throws -> (RunSummary, [String]) {
        let warnings = Guarded<[String]>([])
        let job = FetchJob(
            options,
            loader: loader,
            onEvent: { event in
                if case .warning(let text) = event { warnings.withLock { $0.append(text) } }
            }
        )
        let summary = try await job.run()
        return (summary, warnings.withLock { $0 })
    }

    @Test func `a report on a full disk ends the run, and is reported once`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:1", "hang:", "hang:"])
        options.window = 3
        options.report = "/dev/full"
        let (summary, warnings) = try await Self.run(options, ScriptedLoader())
        let problem = "the report is incomplete: cannot write: No space left on device"
        #expect(summary.ending == .unwritable(problem) && summary.exitCode == 1)
        #expect(summary.succeeded == 1 && summary.cancelled == 2)
        #expect(warnings == [problem])
        #expect(summary.text.hasPrefix("stopped: \(problem)\nFinished images are kept."))
    }

    @Test func `a report that nobody reads any more ends the run`() async throws {
        _ = signal(SIGPIPE, SIG_IGN)
        let folder = try Folder()
        var ends: [Int32] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        var options = Self.options(folder, ["ok:1", "hang:"])
        options.window = 2
        options.report = "/proc/self/fd/\(ends[1])"
        let (summary, _) = try await Self.run(options, ScriptedLoader())
        #expect(summary.exitCode == 1 && summary.ending != .finished && summary.problems.count == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func `a full disk ends the run, and another run continues when there is space`() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.output, withIntermediateDirectories: false)
        guard unsafe mount("calotype", folder.output, "tmpfs", 0, "size=64k") == 0 else { return }
        defer { unsafe umount2(folder.output, Int32(2)) }
        let full = Self.options(folder, ["ok:10", "ok:200000", "hang:"])
        let (first, _) = try await Self.run(full, ScriptedLoader())
        guard case .unwritable(let reason) = first.ending else {
            Issue.record("ended as \(first.ending)")
            return
        }
        #expect(reason.contains("000000001.jpg") && reason.contains("No space left"))
        #expect(first.succeeded == 1 && first.failed == 1 && first.exitCode == 1)
        #expect(unsafe mount("calotype", folder.output, "tmpfs", UInt(MS_REMOUNT), "size=4m") == 0)
        let rest = Self.options(folder, ["ok:10", "ok:200000", "ok:30"])
        let (second, _) = try await Self.run(rest, ScriptedLoader())
        #expect(second.exitCode == 0 && second.skipped == 1 && second.succeeded == 2)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func `a full disk also ends the pictures of a response`() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.output, withIntermediateDirectories: false)
        guard unsafe mount("calotype", folder.output, "tmpfs", 0, "size=64k") == 0 else { return }
        defer { unsafe umount2(folder.output, Int32(2)) }
        let entries = ["ok:200000", "hang:", "hang:"].enumerated().map {
            NamedFetch.Entry(name: "\($0.offset)", url: $0.element)
        }
        let told = Guarded<[String]>([])
        let failures = try await NamedFetch(entries, into: folder.output, loader: ScriptedLoader()).run {
            outcome in told.withLock { $0.append(outcome.entry.name) }
        }
        #expect(failures == 3 && told.withLock { $0 } == ["0"])
    }

    @Test(arguments: [false, true], [false, true])
    func `files that are missing at the end are reported`(
        _ isWholeFolder: Bool,
        _ hasState: Bool
    ) async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:1", "lose", "ok:2"])
        // Below a file nothing can be remembered.
        if !hasState { options.stateHome = try folder.write([], to: "file") + "/state" }
        let output = folder.output
        let loader = TakingLoader {
            if isWholeFolder {
                unsafe rename(output, output + ".moved")
            } else {
                unsafe unlink(output + "/000000000.jpg")
            }
        }
        let (summary, warnings) = try await Self.run(options, loader)
        #expect(summary.succeeded == 3 && summary.exitCode == 1)
        #expect(summary.vanished == (isWholeFolder ? 3 : 1))
        #expect(warnings.contains { $0.contains("missing or changed in") && $0.contains("000000000.jpg") })
        let (again, _) = try await Self.run(Self.options(folder, ["ok:1", "ok:3", "ok:2"]), loader)
        #expect(again.exitCode == 0 && again.vanished == 0)
    }

    @Test func `a removed report is reported`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:1", "lose"])
        options.report = folder.report
        let report = folder.report
        let (summary, _) = try await Self.run(options, TakingLoader { unsafe unlink(report) })
        #expect(summary.exitCode == 1)
        #expect(summary.problems == ["the report was removed during the run"])
    }

    @Test func `a contact sheet that cannot be put in place is reported`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:1", "lose"])
        options.contactSheet = folder.path + "/deep/sheet.html"
        unsafe mkdir(folder.path + "/deep", 0o700)
        let deep = folder.path + "/deep"
        let (summary, _) = try await Self.run(options, TakingLoader { unsafe rmdir(deep) })
        #expect(summary.exitCode == 1 && summary.problems.count == 1)
    }
}
