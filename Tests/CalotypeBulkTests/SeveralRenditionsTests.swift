import CalotypeBulk
import CalotypeCore
import FoundationEssentials
import Testing

/// Several sizes and formats of each entry.
@Suite(.timeLimit(.minutes(1)))
struct SeveralRenditionsTests {
    private static func options(_ folder: borrowing Folder, _ urls: [String]) -> FetchOptions {
        var options = FetchOptions(source: .urls(urls), output: folder.output)
        options.report = folder.report
        options.contactSheet = folder.sheet
        options.stateHome = folder.state
        options.sizes = [512, 256]
        options.formats = [.jpeg, .webp]
        return options
    }

    private static let names = [
        "000000000-256.jpg", "000000000-256.webp", "000000000-512.jpg", "000000000-512.webp",
    ]

    @Test(
        arguments: [
            ([], [.jpeg, .webp], ["000000000.jpg", "000000000.webp"]),
            ([512, 256], [.png], ["000000000-256.png", "000000000-512.png"]),
            ([64], [.jpeg], ["000000000-64.jpg"]),
            ([512, 256], [.jpeg, .webp], names),
        ] as [([Int], [OutputFormat], [String])]
    )
    func `names contain the size if sizes were requested, and the format`(
        _ sizes: [Int],
        _ formats: [OutputFormat],
        _ names: [String]
    ) async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:10"])
        (options.sizes, options.formats) = (sizes, formats)
        let summary = try await FetchJob(options, loader: ScriptedLoader()).run()
        #expect(try folder.outputNames() == names)
        #expect(summary.succeeded == 1 && summary.files == names.count)
        #expect(summary.bytesOut == ByteCount(10 * names.count))
        #expect(summary.text.contains("\(summary.bytesOut) in \(names.count) files") == (names.count > 1))
    }

    @Test func `a line lists all files in the requested order`() async throws {
        let folder = try Folder()
        _ = try await FetchJob(Self.options(folder, ["ok:10", "fail:http_404"]), loader: ScriptedLoader())
            .run()
        let rows = try ReportRow.rows(folder.text(folder.report)).sorted { $0.index < $1.index }
        let made = try #require(rows[0].renditions)
        #expect(made.map(\.file) == [Self.names[2], Self.names[3], Self.names[0], Self.names[1]])
        #expect(
            made[1] == .init(file: "000000000-512.webp", width: 512, height: 256, bytes: 10, format: "webp")
        )
        #expect(rows[0].status == "ok" && rows[0].file == nil && rows[0].width == nil && rows[0].bytes == nil)
        #expect(rows[0].source_width == 900 && rows[0].attempts == 2 && rows[0].ms?["total"] == 20)
        #expect(rows[1].status == "failed" && rows[1].renditions == [])
    }

    @Test func `one size in one format is reported in the plain fields`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:10"])
        (options.sizes, options.formats) = ([256], [.jpeg])
        _ = try await FetchJob(options, loader: ScriptedLoader()).run()
        let row = try #require(try ReportRow.rows(folder.text(folder.report)).first)
        #expect(row.file == "000000000-256.jpg" && row.width == 256 && row.renditions == nil)
    }

    @Test func `every rendition is scaled as requested, with the requested quality`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:10"])
        options.transform = Transform.fit(9, 9, enlarges: true).effort(.best).inLinearLight()
        let loader = ScriptedLoader()
        _ = try await FetchJob(options, loader: loader).run()
        let wanted = [512, 256].map { Transform.fit($0, $0, enlarges: true).effort(.best).inLinearLight() }
        #expect(loader.requests.map(\.transform) == [wanted[0], wanted[0], wanted[1], wanted[1]])
        #expect(loader.requests.map(\.output) == [.jpeg, .webp, .jpeg, .webp])
    }

    @Test func `a second run skips complete sets, and makes an incomplete one again`()
        async throws
    {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:10", "ok:20", "ok:30"])
        _ = try await FetchJob(options, loader: ScriptedLoader()).run()
        try FileManager.default.removeItem(atPath: folder.output + "/000000001-512.webp")
        try Data([1]).write(to: URL(filePath: folder.output + "/000000002-256.jpg"))
        // The order in which sizes and formats are named does not matter.
        (options.sizes, options.formats) = ([256, 512], [.webp, .jpeg])
        let loader = ScriptedLoader()
        let summary = try await FetchJob(options, loader: loader).run()
        #expect(Set(loader.urls) == ["ok:20", "ok:30"])
        #expect(summary.skipped == 1 && summary.succeeded == 2 && summary.files == 8)
        let rows = try ReportRow.rows(folder.text(folder.report))
        let skipped = try #require(rows.first { $0.status == "skipped" })
        #expect(skipped.renditions?.map(\.file).sorted() == Self.names)
        #expect(try folder.outputNames().count == 12)
    }

    @Test func `other sizes, formats or scaling make all files again and remove the old ones`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:10"])
        let changes: [((inout FetchOptions) -> Void, [String])] = [
            ({ _ in }, Self.names),
            (
                { $0.sizes = [256, 64] },
                ["-256.jpg", "-256.webp", "-64.jpg", "-64.webp"].map { "000000000" + $0 }
            ),
            ({ $0.formats = [.png] }, ["000000000-256.png", "000000000-64.png"]),
            ({ $0.sizes = [256] }, ["000000000-256.png"]),
            (
                {
                    $0.transform = .fit(256, 256); $0.sizes = []
                }, ["000000000.png"]
            ),
            ({ $0.transform.effort = .fast }, ["000000000.png"]),
            ({ $0.transform.isLinearLight = true }, ["000000000.png"]),
        ]
        for (change, names) in changes {
            change(&options)
            let loader = ScriptedLoader()
            _ = try await FetchJob(options, loader: loader).run()
            #expect(!loader.requests.isEmpty)
            #expect(try folder.outputNames() == names)
            let second = ScriptedLoader()
            _ = try await FetchJob(options, loader: second).run()
            #expect(second.requests.isEmpty)
        }
    }

    @Test func `an entry with a failed rendition fails, and is made again by the next run`() async throws {
        let folder = try Folder()
        let options = Self.options(folder, ["no-webp:10"])
        for _ in 0..<2 {
            let loader = ScriptedLoader()
            let summary = try await FetchJob(options, loader: loader).run()
            #expect(loader.requests.count == 4)
            #expect(summary.exitCode == 3 && summary.failures == [.encodeFailed: 1] && summary.files == 2)
            let row = try #require(try ReportRow.rows(folder.text(folder.report)).first)
            #expect(row.status == "failed" && row.code == "encode_failed")
            #expect(row.message == "at size 512 as webp: no")
            #expect(row.renditions?.map(\.file) == ["000000000-512.jpg", "000000000-256.jpg"])
            #expect(row.source_format == "webp" && row.cache == "miss")
            #expect(try folder.outputNames() == ["000000000-256.jpg", "000000000-512.jpg"])
        }
    }

    @Test func `a set that is not complete does not take away what another run had made`() async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["no-webp:10"])
        (options.sizes, options.formats) = ([], [.png])
        _ = try await FetchJob(options, loader: ScriptedLoader()).run()
        options.formats = [.jpeg, .webp]
        _ = try await FetchJob(options, loader: ScriptedLoader()).run()
        #expect(try folder.outputNames() == ["000000000.jpg", "000000000.png"])
        // Nothing is forgotten: what is complete takes all of them away.
        options.formats = [.jpeg]
        _ = try await FetchJob(options, loader: ScriptedLoader()).run()
        #expect(try folder.outputNames() == ["000000000.jpg"])
    }

    static let refused: [(@Sendable (inout FetchOptions) -> Void, String)] = [
        ({ $0.sizes = [0] }, "sizes"), ({ $0.sizes = [256, 256] }, "sizes"),
        ({ $0.sizes = [65_536] }, "sizes"), ({ $0.sizes = Array(1...17) }, "sizes"),
        ({ $0.formats = [] }, "format"),
        ({ $0.formats = [.jpeg(quality: 1), .jpeg(quality: 2)] }, "format"),
        ({ $0.formats = [.jpeg, .original] }, "original"),
    ]

    @Test(arguments: refused)
    func `renditions with the same name are rejected before anything is requested`(
        _ change: @Sendable (inout FetchOptions) -> Void,
        _ word: String
    ) async throws {
        let folder = try Folder()
        var options = Self.options(folder, ["ok:1"])
        change(&options)
        let loader = ScriptedLoader()
        let error = await #expect(throws: BulkError.self) {
            try await FetchJob(options, loader: loader).run()
        }
        #expect(error?.description.contains(word) == true)
        #expect(loader.requests.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.output))
    }
}
