import CalotypeFiles
import CalotypePlatform
import Testing

@testable import CalotypeBulk

/// Two attempts at a shard, stopped at every step in every order.
@Suite(.timeLimit(.minutes(5)))
struct ShardAttemptTests {
    @Test(arguments: [
        // From the beginning to the claim, and from there to the end.
        (0, 4), (3, 0),
    ])
    func `a shard is of one attempt, wherever two are stopped`(_ before: Int, _ after: Int) throws {
        let steps = 5
        let folder = try Folder(inMemory: true)
        var outcomes: [String: Int] = [:]
        var number = 0
        for order in Self.orders(upTo: steps) {
            number += 1
            let trial = try Trial("\(folder.path)/\(number)")
            for _ in 0..<before { for index in 0..<2 { try trial.step(index) } }
            for index in order {
                try trial.step(index)
                // What follows the claim is tried by the other part.
                if trial.steps[index] == before + steps { try trial.step(index, after) }
                try trial.checkReader()
            }
            let winner = try trial.clean()
            outcomes[winner ?? "none", default: 0] += 1
            if winner == nil {
                try trial.step(2, 9)
                #expect(try trial.clean() == "C", "\(order)")
            }
            try trial.remove()
        }
        // Each outcome occurs.
        #expect(outcomes.keys.sorted() == ["A", "B", "none"], "\(outcomes)")
        #expect(number == 923)
    }

    @Test(arguments: 0...8) func `a clean-up in the middle of an attempt ends it or leaves it its files`(
        _ steps: Int
    ) throws {
        for isSplit in [false, true] {
            let folder = try Folder()
            let trial = try Trial(folder.output)
            try trial.step(0, steps)
            if isSplit {
                // The clean-up has taken the right, and the attempt continues before the rest is removed.
                unsafe unlink("\(trial.path)/.calotype/\(trial.folders[0].attempt).00000.right")
            } else {
                _ = try trial.clean()
            }
            let hasFailed = Self.fails { try trial.step(0, 9) }
            #expect(hasFailed == (1...3).contains(steps))
            if hasFailed { trial.discard(0) }
            #expect(try trial.clean() == (hasFailed ? nil : "A"))
        }
    }

    @Test func `an attempt without a lease never claims, and leaves nothing`() throws {
        let folder = try Folder()
        let trial = try Trial(folder.output, mayClaim: false)
        #expect(throws: BulkError.self) { try trial.step(0, 9) }
        trial.discard(0)
        #expect(trial.work == [])
    }

    @Test func `a claim whose files are gone is no complete shard`() throws {
        let folder = try Folder()
        let trial = try Trial(folder.output)
        try trial.step(0, 4)
        unsafe unlink("\(trial.path)/.calotype/\(trial.folders[0].attempt).00000.tar")
        #expect(throws: SystemError.self) { try trial.step(0, 9) }
        #expect(!RollForward.isComplete("00000", in: trial.folders[0]))
    }

    @Test func `a clean-up keeps what is new, and the journals of shards in progress`() throws {
        let folder = try Folder()
        let trial = try Trial(folder.output)
        try trial.step(0, 3)
        for name in ["00000.journal", "00001.journal", "token-1"] {
            try OpenFile("\(trial.path)/.calotype/\(name)", O_WRONLY | O_CREAT).write([1])
        }
        let now = ShardStats.now()
        var findings = try ShardGarbage(trial.folders[1], age: 60, now: now).collect()
        #expect(findings.removed == 0 && findings.kept == 3 && trial.work.count == 6)
        findings = try ShardGarbage(trial.folders[1], age: 60, now: now + 100).collect()
        #expect(findings.removed == 4 && findings.kept == 0)
        #expect(trial.work == ["00000.journal", "00001.journal"])
        try trial.step(1, 9)
        try OpenFile("\(trial.path)/.calotype/00000.journal", O_WRONLY | O_CREAT).write([1])
        _ = try ShardGarbage(trial.folders[1], age: 60, now: now).collect()
        #expect(trial.work == ["00000.commit", "00001.journal"])
    }

    @Test func `a winner killed while it writes statistics leaves nothing, if another completes the shard`()
        throws
    {
        let folder = try Folder()
        let trial = try Trial(folder.output)
        try trial.step(0, 4)
        let file = "\(trial.path)/.calotype/.\(trial.folders[0].attempt).00000_stats.json"
        try OpenFile(file, O_WRONLY | O_CREAT).write([1])
        try trial.step(1, 9)
        #expect(try trial.clean() == "A")
    }

    @Test func `a folder of pictures that lost is removed with all it contains`() throws {
        let folder = try Folder()
        let trial = try Trial(folder.output)
        let inner = "\(trial.path)/.calotype/\(trial.folders[0].attempt).00000"
        try OutputFolder.createFolders(inner)
        try OpenFile("\(inner)/000000000.jpg", O_WRONLY | O_CREAT).write([1])
        #expect(ShardGarbage.end(trial.folders[0].attempt, at: "00000", in: trial.folders[1]) == 1)
        #expect(trial.work == [])
    }

    /// Whether `body` throws.
    private static func fails(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            return true
        }
    }

    /// Returns all orders in which two attempts take up to `count` steps each.
    private static func orders(upTo count: Int) -> [[Int]] {
        var all: [[Int]] = [[]]
        var last = all
        while !last.isEmpty {
            last = last.flatMap { order in
                (0..<2).filter { index in order.count { $0 == index } < count }.map { order + [$0] }
            }
            all += last
        }
        return all
    }

    /// Three attempts at one shard, of which each makes files with its own letter.
    private final class Trial {
        let path: String
        let folders: [DatasetFolder]
        private(set) var steps = [0, 0, 0]
        private var attempts: [ShardAttempt] = []
        private var hasEnded = [false, false, false]

        init(_ path: String, mayClaim: Bool = true) throws {
            self.path = path
            folders = try (0..<3).map { _ in try DatasetFolder(path: path) }
            for (folder, letter) in zip(folders, ["A", "B", "C"]) {
                attempts.append(
                    ShardAttempt(folder, "00000", mayClaim: { mayClaim }) {
                        var stats = ShardStats()
                        for ending in ["tar", "jsonl"] {
                            let name = "00000.\(ending)"
                            let file = try StagedFile(name, as: "\(folder.attempt).\(name)", in: folder.work)
                            try file.write(letter)
                            stats.files.append(try file.finish())
                        }
                        stats.list = letter
                        return stats
                    }
                )
            }
        }

        func step(_ index: Int, _ count: Int = 1) throws {
            for _ in 0..<count where !hasEnded[index] {
                steps[index] += 1
                hasEnded[index] = try !attempts[index].advance()
            }
        }

        func discard(_ index: Int) { attempts[index].discard() }

        /// A complete shard has both files, of one attempt.
        func checkReader() throws {
            guard RollForward.isComplete("00000", in: folders[2]) else { return }
            #expect(try text("00000.tar") == text("00000.jsonl"))
        }

        /// Cleans up, and checks that nothing is left.
        ///
        /// - Returns: The attempt whose shard is complete.
        func clean() throws -> String? {
            _ = try ShardGarbage(folders[2], age: -1, now: ShardStats.now()).collect()
            guard RollForward.isComplete("00000", in: folders[2]) else {
                #expect(work == [] && FolderNames.all(in: path) == [".calotype"])
                return nil
            }
            #expect(work == ["00000.commit"])
            let files = [".calotype", "00000.jsonl", "00000.tar", "00000_stats.json"]
            #expect(FolderNames.all(in: path).sorted() == files)
            let letter = try text("00000.tar")
            #expect(try text("00000.jsonl") == letter)
            #expect(try text("00000_stats.json").contains("\"list\":\"\(letter)\""))
            return letter
        }

        /// What is in the folder for unfinished work, besides the locks.
        var work: [String] {
            FolderNames.all(in: "\(path)/.calotype").filter { $0 != "locks" }.sorted()
        }

        func remove() throws {
            for name in FolderNames.all(in: "\(path)/.calotype") {
                unsafe unlink("\(path)/.calotype/\(name)")
            }
            unsafe rmdir("\(path)/.calotype")
            for name in FolderNames.all(in: path) { unsafe unlink("\(path)/\(name)") }
            unsafe rmdir(path)
        }

        private func text(_ name: String) throws -> String {
            let file = try OpenFile("\(path)/\(name)", O_RDONLY)
            return String(decoding: try file.read(Int(file.status().st_size)), as: UTF8.self)
        }
    }
}
