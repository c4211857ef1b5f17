import CalotypeCore
import CalotypeFiles
import Glibc
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

    @Test(arguments: [
        // As albumentations rounds them: halves to the even number.
        (ResizeMode.keepRatio, 400, 300, 256, 341, 256), (.keepRatio, 300, 400, 256, 256, 341),
        (.keepRatioLargest, 1000, 750, 256, 256, 192), (.keepRatioLargest, 512, 5, 256, 256, 2),
        (.keepRatioLargest, 512, 7, 256, 256, 4), (.keepRatioLargest, 1000, 1, 256, 256, 1),
        (.keepRatio, 100, 50, 256, 512, 256), (.border, 1000, 750, 256, 256, 192),
    ])
    func `sides are rounded as img2dataset does`(
        _ mode: ResizeMode,
        _ width: Int,
        _ height: Int,
        _ side: Int,
        _ madeWidth: Int,
        _ madeHeight: Int
    ) {
        let transform = mode.transform(
            of: PixelSize(width: width, height: height),
            side: side,
            onlyIfBigger: false
        )
        #expect(transform.box == PixelSize(width: madeWidth, height: madeHeight))
        let padding = transform.edits.padding
        guard mode == .border else { return #expect(padding == Padding()) }
        #expect(padding.top == (side - madeHeight) / 2 && padding.top + padding.bottom == side - madeHeight)
    }

    @Test(arguments: ResizeMode.allCases)
    func `a smaller picture stays as it is if only bigger ones are resized`(_ mode: ResizeMode) {
        let size = PixelSize(width: 200, height: 256)
        #expect(mode.transform(of: size, side: 256, onlyIfBigger: true) == .none)
    }

    @Test func `a journal drops what a crash has left half written`() throws {
        let folder = try Folder()
        let root = try OpenFile(folder.path, O_RDONLY | O_DIRECTORY)
        let journal = try ShardJournal("j", in: root)
        for index in 0..<3 { try journal.append(Self.sample(index), [UInt8](repeating: 7, count: 100)) }
        let whole = try OpenFile("j", in: root, O_RDWR)
        let size = Int(try whole.status().st_size)
        #expect(ftruncate(whole.descriptor, size - 1) == 0)
        let entries = try journal.entries()
        #expect(entries.map(\.sample) == [Self.sample(0), Self.sample(1)])
        #expect(try journal.picture(at: entries[1].place) == [UInt8](repeating: 7, count: 100))
        try journal.append(Self.sample(2), [])
        #expect(try journal.entries().map(\.sample.index) == [0, 1, 2])
    }

    @Test func `of two attempts at a shard one wins, and its files belong together`() throws {
        let folder = try Folder()
        let plan = ShardPlan(samplesPerShard: 5, shardDigits: 5)
        let schema = SampleSchema(hasCaption: false, extras: [], hash: nil)
        for attempt in 0..<2 {
            let output = try DatasetFolder(path: folder.output)
            let commit = ShardCommit(folder: output, plan: plan)
            let journal = try ShardJournal("\(attempt)", in: output.work)
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
            try commit.commit(0, journal, staging, list: "\(attempt)", since: 0)
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
