import CalotypeBulk
import CalotypeCore
import CalotypePlatform
import FoundationEssentials
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FetchJobTests {
    private static func options(_ folder: borrowing Folder, _ urls: [String]) -> FetchOptions {
        var options = FetchOptions(source: .urls(urls), output: folder.output)
        options.report = folder.report
        options.contactSheet = folder.sheet
        options.stateHome = folder.state
        return options
    }

    @Test func `pictures become files and every entry a line`() async throws {
        let folder = try Folder()
        let urls = ["ok:10", "fail:http_404", "ok:20"]
        let summary = try await FetchJob(Self.options(folder, urls), loader: ScriptedLoader()).run()
        #expect(try folder.outputNames() == ["000000000.jpg", "000000002.jpg"])
        #expect(summary.succeeded == 2 && summary.failed == 1 && summary.exitCode == 1)
        #expect(summary.failures == [.http(status: 404): 1])
        #expect(summary.bytesOut == ByteCount(30) && summary.bytesIn == ByteCount(8000))
        let rows = try ReportRow.rows(folder.text(folder.report)).sorted { $0.index < $1.index }
        #expect(rows.map(\.url) == urls)
        #expect(rows.map(\.status) == ["ok", "failed", "ok"])
        #expect(rows[0].file == "000000000.jpg" && rows[0].width == 256 && rows[0].source_width == 900)
        #expect(rows[0].ms?["dns"] == 1.5 && rows[0].ms?.count == 8 && rows[0].attempts == 2)
        #expect(rows[1].code == "http_404" && rows[1].message == "as \"told\" <b>" && rows[1].attempts == 3)
        #expect(rows[1].file == nil && rows[1].ms?["total"] == 20)
    }

    @Test func `passwords are asked with and written nowhere`() async throws {
        let folder = try Folder()
        let urls = [
            "http://bob:secret@a.test/1.jpg", "http://bob:secret@b.test/2.jpg", "bob:secret@c.test/3.jpg",
        ]
        let loader = ScriptedLoader()
        let trace = TraceRecorder(limit: 1_000)
        let summary = try await TaskTrace.recording(to: trace) {
            try await FetchJob(Self.options(folder, urls), loader: loader).run()
        }
        #expect(summary.succeeded == 3 && loader.urls.sorted() == urls.sorted())
        let rows = try ReportRow.rows(folder.text(folder.report)).sorted { $0.index < $1.index }
        #expect(rows.map(\.url) == ["http://a.test/1.jpg", "http://b.test/2.jpg", "c.test/3.jpg"])
        let sheet = try folder.text(folder.sheet)
        #expect(sheet.contains("http://a.test/1.jpg") && !sheet.contains("secret"))
        let told = trace.events.flatMap(\.arguments).map { "\($0)" }
        #expect(
            told.contains { $0.contains("http://a.test/1.jpg") } && !told.contains { $0.contains("secret") }
        )
        // The next run knows them again, and makes only what another password may show otherwise.
        var options = Self.options(folder, urls)
        options.source = .urls([urls[0], urls[1].replacing("secret", with: "other"), urls[2]])
        #expect(try await FetchJob(options, loader: loader).run().skipped == 2)
    }

    @Test func `what equal URLs share is received once`() async throws {
        let folder = try Folder()
        let urls = Array(repeating: "ok:10", count: 500)
        let summary = try await FetchJob(Self.options(folder, urls), loader: ScriptedLoader()).run()
        #expect(summary.succeeded == 500 && summary.bytesIn == ByteCount(4000))
    }

    @Test func `the keys of a line stand in the promised order`() async throws {
        let folder = try Folder()
        _ = try await FetchJob(Self.options(folder, ["ok:1"]), loader: ScriptedLoader()).run()
        #expect(
            try folder.text(folder.report) == """
                {"index":0,"url":"ok:1","status":"ok","code":null,"message":null,"file":"000000000.jpg","width":256,\
                "height":171,"source_width":900,"source_height":600,"source_format":"webp","source_frames":1,\
                "source_bytes":4000,"bytes":1,"cache":"miss","attempts":2,"partial":false,"decoder":null,"decoder_reason":null,"ms":{"queue":1.00,"dns":1.50,\
                "connect":0.00,"first_byte":0.00,"body":0.00,"decode":0.00,"encode":0.00,"total":20.00}}

                """
        )
    }

    @Test func `a second run skips what is complete and retries what failed`() async throws {
        let folder = try Folder()
        let options = Self.options(folder, ["ok:10", "fail:http_500", "ok:20", "ok:30"])
        _ = try await FetchJob(options, loader: ScriptedLoader()).run()
        try Data([1]).write(to: URL(filePath: folder.output + "/000000002.jpg"))
        try FileManager.default.removeItem(atPath: folder.output + "/000000003.jpg")
        let loader = ScriptedLoader()
        let summary = try await FetchJob(options, loader: loader).run()
        #expect(loader.urls.sorted() == ["fail:http_500", "ok:20", "ok:30"])
        #expect(summary.skipped == 1 && summary.succeeded == 2)
        let rows = try ReportRow.rows(folder.text(folder.report))
        let skipped = try #require(rows.first { $0.status == "skipped" })
        #expect(rows.count == 4)
        #expect(skipped.file == "000000000.jpg" && skipped.width == 256 && skipped.source_format == "webp")
        #expect(skipped.bytes == 10 && skipped.ms == nil && skipped.attempts == 0)
    }

    @Test func `a partial picture is reported as such, and retried by the next run`() async throws {
        let folder = try Folder()
        let options = Self.options(folder, ["cut:10", "ok:10"])
        for run in 0..<2 {
            let summary = try await FetchJob(options, loader: ScriptedLoader()).run()
            #expect(summary.partial == 1 && summary.succeeded == 2 - run && summary.exitCode == 0)
            #expect(summary.text.contains("created (1 partial)"))
            let rows = try ReportRow.rows(folder.text(folder.report)).sorted { $0.index < $1.index }
            #expect(rows.map(\.partial) == [true, false])
            #expect(rows.map(\.status) == ["ok", run == 0 ? "ok" : "skipped"])
            #expect(try folder.text(folder.sheet).contains("<span>partial</span>"))
        }
    }

    @Test func `a line contains the decoder, and why it was libvips`() async throws {
        let folder = try Folder()
        _ = try await FetchJob(Self.options(folder, ["odd:10", "fail:dns_failed"]), loader: ScriptedLoader())
            .run()
        let rows = try ReportRow.rows(folder.text(folder.report)).sorted { $0.index < $1.index }
        #expect(rows.map(\.decoder) == ["libvips", nil] && rows.map(\.partial) == [false, nil])
        #expect(rows[0].decoder_reason == "16 bits")
    }

    @Test func `other options make the picture again and remove the old one`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:10"])
        _ = try await FetchJob(options, loader: ScriptedLoader()).run()
        options.format = .png
        let loader = ScriptedLoader()
        _ = try await FetchJob(options, loader: loader).run()
        #expect(loader.requests.count == 1)
        #expect(try folder.outputNames() == ["000000000.png"])
    }

    @Test func `another URL in the place of an old one never leaves the old picture there`() async throws {
        let folder = try Folder()
        _ = try await FetchJob(Self.options(folder, ["ok:10", "ok:11"]), loader: ScriptedLoader()).run()
        _ = try await FetchJob(Self.options(folder, ["fail:http_404", "ok:12"]), loader: ScriptedLoader())
            .run()
        #expect(try folder.outputNames() == ["000000001.jpg"])
    }

    @Test func `only failures exit with 3, the first with fail-fast with 1`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["fail:http_404", "fail:dns_failed"])
        #expect(try await FetchJob(options, loader: ScriptedLoader()).run().exitCode == 3)
        options.source = .urls(["hang:", "fail:http_404", "hang:"])
        options.failFast = true
        let summary = try await FetchJob(options, loader: ScriptedLoader()).run()
        #expect(summary.exitCode == 1 && summary.ending == .failedFast && summary.failed == 1)
    }

    @Test func `lines follow the order of the list on request`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, (0..<200).map { $0 % 7 == 0 ? "fail:http_404" : "ok:\($0)" })
        options.order = .input
        options.window = 16
        _ = try await FetchJob(options, loader: ScriptedLoader()).run()
        #expect(try ReportRow.rows(folder.text(folder.report)).map(\.index) == Array(0..<200))
    }

    @Test(arguments: FetchOptions.Order.allCases)
    func `an interrupted run reports what had started and nothing else`(
        _ order: FetchOptions.Order
    ) async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["hang:", "ok:1", "hang:"] + Array(repeating: "hang:", count: 50))
        options.window = 4
        options.order = order
        let loader = ScriptedLoader()
        let summary = try await Self.interrupted(options, loader, after: 3)
        #expect(summary.ending == .interrupted && summary.exitCode == 130)
        let rows = try ReportRow.rows(folder.text(folder.report))
        #expect(rows.count == loader.requests.count)
        #expect(rows.filter { $0.status == "ok" }.map(\.index) == [1])
        #expect(rows.count { $0.status == "cancelled" } == summary.cancelled)
        #expect(try folder.outputNames() == ["000000001.jpg"])
        #expect(try folder.text(folder.sheet).hasSuffix("</html>\n"))
    }

    @Test func `work that hears no cancel is abandoned with a complete report`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["deaf:", "deaf:"])
        options.grace = .milliseconds(1)
        let loader = ScriptedLoader()
        let seen = Guarded<(Int32, String)?>(nil)
        let report = folder.report
        _ = try await Self.interrupted(options, loader, after: 2) { summary in
            let text = try? String(contentsOfFile: report, encoding: .utf8)
            seen.withLock { $0 = (summary.exitCode, text ?? "") }
            loader.releaseDeaf()
        }
        let (code, text) = try #require(seen.withLock { $0 })
        #expect(code == 130)
        #expect(try ReportRow.rows(text).map(\.status) == ["cancelled", "cancelled"])
        #expect(try folder.text(folder.report) == text)
    }

    @Test func `nothing is requested when the run cannot begin`() async throws {
        let folder = try Folder()
        let file = try folder.write([], to: "file")
        var broken: [FetchOptions] = []
        for change in 0..<4 {
            var options = Self.options(folder, change == 0 ? [] : ["ok:1"])
            if change == 1 { options.output = file }
            if change == 2 { options.report = folder.path + "/none/report" }
            if change == 3 { options.contactSheet = folder.path + "/none/sheet" }
            broken.append(options)
        }
        let loader = ScriptedLoader()
        for options in broken {
            await #expect(throws: BulkError.self) { try await FetchJob(options, loader: loader).run() }
        }
        #expect(loader.requests.isEmpty)
    }

    @Test func `progress ends with everything counted`() async throws {
        let folder = try Folder()
        let file = try folder.write(Array("ok:1\n#\nfail:http_404\nok:1\n".utf8), to: "list")
        var options = Self.options(folder, [])
        options.source = .file(path: file)
        let last = Guarded(FetchProgress())
        let job = FetchJob(
            options,
            loader: ScriptedLoader(),
            onEvent: { event in
                if case .progress(let progress) = event { last.withLock { $0 = progress } }
            }
        )
        _ = try await job.run()
        let progress = last.withLock { $0 }
        #expect(progress.done == 3 && progress.failed == 1 && progress.active == 0)
        #expect(progress.json.hasPrefix("{\"event\":\"progress\",\"done\":3,"))
    }

    /// Runs a job in a task and cancels it once so many loads hang.
    private static func interrupted(
        _ options: FetchOptions,
        _ loader: ScriptedLoader,
        after count: Int,
        onAbandon: (@Sendable (RunSummary) async -> Void)? = nil
    ) async throws -> RunSummary {
        try await withThrowingTaskGroup(of: RunSummary.self) { group in
            group.addTask { try await FetchJob(options, loader: loader, onAbandon: onAbandon).run() }
            await loader.untilHanging(count)
            group.cancelAll()
            guard let summary = try await group.next() else { throw CancellationError() }
            return summary
        }
    }
}
