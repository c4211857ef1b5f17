import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import Testing

@testable import CalotypeBulk

@Suite(.timeLimit(.minutes(1)))
struct ShardTests {
    @Test(arguments: [
        // As img2dataset 1.47 names them.
        (10_000, 5, 10_005, "000010005", "00001"), (20, 5, 41, "0000201", "00002"),
        (1, 5, 7, "00007", "00007"),
        (10, 5, 19, "000019", "00001"), (11, 3, 22, "00200", "002"), (10, 2, 1234, "1234", "123"),
    ])
    func `shards and samples have img2dataset's names`(
        _ perShard: Int,
        _ digits: Int,
        _ index: Int,
        _ key: String,
        _ shard: String
    ) {
        let plan = ShardPlan(samplesPerShard: perShard, shardDigits: digits)
        #expect(plan.key(of: index) == key)
        #expect(plan.name(of: plan.shard(of: index)) == shard)
    }

    @Test(arguments: [0, 4, 5, 6, 14, 15, 16, 33])
    func `the samples of a slice are counted`(_ count: Int) throws {
        for (first, slices) in [(0, 1), (0, 2), (0, 3), (0, 4), (2, 1), (2, 2), (2, 3), (7, 4)] {
            let plan = ShardPlan(samplesPerShard: 5, shardDigits: 5, firstShard: first)
            for index in 0..<slices {
                let slice = try #require(DatasetOptions.Slice(index: index, of: slices))
                let counted = (0..<count).count { plan.shard(of: $0) % slices == index }
                #expect(plan.count(of: count, in: slice) == counted)
            }
        }
    }

    @Test func `pictures have the sizes and places that img2dataset gives them`() throws {
        for row in Img2datasetSize.all where max(row.keepRatio.width, row.keepRatio.height) <= 65_535 {
            func transform(_ mode: ResizeMode, onlyIfBigger: Bool = false) throws -> Transform {
                try mode.transform(of: row.size, side: row.side, onlyIfBigger: onlyIfBigger)
            }
            let comment = Comment("\(row.size) in \(row.side)")
            let crop = try transform(.centerCrop)
            let border = try transform(.border)
            #expect(try transform(.keepRatio).box == row.keepRatio, comment)
            #expect(try transform(.keepRatioLargest).box == row.keepRatioLargest, comment)
            #expect(crop.box == row.keepRatio, comment)
            #expect(crop.edits.middle == PixelSize(width: row.side, height: row.side), comment)
            #expect(border.box == row.keepRatioLargest, comment)
            let padding = border.edits.padding
            #expect((padding.left, padding.top) == row.borderStart, comment)
            #expect(padding.left + border.box.width + padding.right == row.side, comment)
            #expect(padding.top + border.box.height + padding.bottom == row.side, comment)
            for (mode, size) in [(ResizeMode.centerCrop, row.smallCrop), (.border, row.smallBorder)] {
                let isUnchanged = try transform(mode, onlyIfBigger: true) == .none
                #expect(
                    (isUnchanged ? row.size : PixelSize(width: row.side, height: row.side)) == size,
                    comment
                )
            }
        }
    }

    @Test func `a picture that would become longer than formats allow is refused, unless its ends are cut`()
        throws
    {
        let long = PixelSize(width: 512, height: 1)
        #expect(throws: CalotypeError.self) {
            try ResizeMode.keepRatio.transform(of: long, side: 256, onlyIfBigger: false)
        }
        let crop = try ResizeMode.centerCrop.transform(of: long, side: 256, onlyIfBigger: false)
        #expect(crop == .fill(256, 256, enlarges: true))
    }

    @Test(arguments: ResizeMode.allCases)
    func `a smaller picture stays as it is if only bigger ones are resized`(_ mode: ResizeMode) throws {
        let size = PixelSize(width: 200, height: 256)
        #expect(try mode.transform(of: size, side: 256, onlyIfBigger: true) == .none)
    }

    @Test func `a journal drops what a crash has left half written`() throws {
        let folder = try Folder()
        let root = try OpenFile(folder.path, O_RDONLY | O_DIRECTORY)
        let journal = try ShardJournal("j", in: JournalFiles(root))
        for index in 0..<3 { try journal.append(Self.sample(index), [UInt8](repeating: 7, count: 100)) }
        let whole = try OpenFile("j", in: root, O_RDWR)
        let size = Int(try whole.status().st_size)
        #expect(ftruncate(whole.descriptor, size - 1) == 0)
        let entries = try journal.repair()
        #expect(entries.map(\.sample) == [Self.sample(0), Self.sample(1)])
        #expect(try journal.picture(at: entries[1].place) == [UInt8](repeating: 7, count: 100))
        try journal.append(Self.sample(2), [])
        #expect(try journal.entries().map(\.sample.index) == [0, 1, 2])
    }

    @Test func `of many journals only a few are open, and none loses a sample`() throws {
        let folder = try Folder()
        let files = JournalFiles(try OpenFile(folder.path, O_RDONLY | O_DIRECTORY), limit: 4)
        let journals = try (0..<20).map { try ShardJournal("\($0)", in: files) }
        for round in 0..<3 {
            for journal in journals { try journal.append(Self.sample(round), [UInt8(round)]) }
        }
        #expect(files.openCount == 4)
        for journal in journals { #expect(try journal.entries().map(\.sample.index) == [0, 1, 2]) }
        for journal in journals { journal.close() }
        #expect(files.openCount == 0)
    }

    @Test func `a file that is not complete is never in the folder that readers look at`() throws {
        let folder = try Folder()
        let output = try DatasetFolder(path: folder.output)
        // A temporary file could not have this name.
        try OutputFolder.createFolders("\(folder.output)/.\(output.attempt).00000_stats.json")
        try output.replace("00000_stats.json", with: Array("{}".utf8), in: output.root)
        #expect(try folder.text("\(folder.output)/00000_stats.json") == "{}")
        #expect(try DatasetInspection(path: folder.output).shardNames == ["00000"])
    }

    @Test func `of two attempts at a shard one wins, and its files belong together`() throws {
        let folder = try Folder()
        let plan = ShardPlan(samplesPerShard: 5, shardDigits: 5)
        let schema = SampleSchema(hasCaption: false, extras: [], hash: nil)
        for attempt in 0..<2 {
            let output = try DatasetFolder(path: folder.output)
            let commit = ShardCommit(folder: output, plan: plan)
            let journal = try ShardJournal("\(attempt)", in: output.journals)
            try journal.append(Self.sample(attempt), [UInt8(attempt)])
            // The second attempt does not see the first one's statistics, as if both ended at the same time.
            if attempt == 1 { unsafe unlink("\(folder.output)/00000_stats.json") }
            let staging = ShardStaging(
                folder: output,
                schema: schema,
                format: .webdataset,
                name: "00000",
                ending: "jpg"
            )
            try commit.commit(0, journal, staging, samples: 1, list: "\(attempt)", since: 0)
        }
        let findings = try DatasetInspection(path: folder.output).verify()
        #expect(findings.problems == [] && findings.samples == 1)
        #expect(try folder.text("\(folder.output)/00000.jsonl").contains("http://a.test/0"))
        let left = FolderNames.all(in: "\(folder.output)/.calotype").sorted()
        #expect(left == ["0", "00000.commit", "1", "locks"])
    }

    @Test func `a parquet file begins and ends as it should`() throws {
        let folder = try Folder()
        let root = try OpenFile(folder.path, O_RDONLY | O_DIRECTORY)
        let file = try StagedFile("a", as: "a", in: root)
        var writer = try ParquetWriter([.init(name: "n", kind: .int32)], to: file)
        try writer.add([.number(1)])
        try writer.add([.null])
        try writer.finish()
        let stored = try file.finish()
        let bytes = try OpenFile("a", in: root, O_RDONLY).read(stored.bytes)
        #expect(bytes.starts(with: Array("PAR1".utf8)) && bytes.suffix(4) == Array("PAR1".utf8)[...])
    }

    private static func sample(_ index: Int) -> Sample {
        Sample(
            ListItem(index: index, url: "http://a.test/\(index)", fields: [.null, .text("é"), .json("1.5")])
        )
    }
}
