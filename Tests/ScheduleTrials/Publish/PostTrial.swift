import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypePublish
import TaskFlow
import TaskFlowTesting

/// Runs a program of posts: the process, and where it dies the one after it.
struct PostTrial {
    private static let folder = "/dev/shm/calotype-schedules-\(getpid())"

    private let life: PostLife
    private let operations: [PostOperation]
    /// What a process that dies leaves behind.
    private let left = Guarded<PostFixture?>(nil)

    init(_ operations: [PostOperation]) {
        self.operations = operations
        var manner = ServerManner()
        var faults: [CallPlace: [Int: CallFault]] = [:]
        var pieces: [Int] = []
        for operation in operations {
            switch operation {
            case .medium(let count): pieces.append(count)
            case .server(let given): manner = given
            case .fault(let place, let call, let fault): faults[place, default: [:]][call] = fault
            case .run, .twoProcesses, .readers, .sweep, .death: break
            }
        }
        let hasReaders = operations.contains { if case .readers = $0 { true } else { false } }
        life = PostLife(PostFixture(manner, faults), pieces: pieces, hasReaders: hasReaders)
    }

    func run() async throws {
        let journal = "\(Self.folder)/journal"
        let later = "\(Self.folder)/later"
        defer { for folder in [journal, later, Self.folder] { remove(folder) } }
        for case .death(let moment, let keepsRequests) in operations {
            life.at(moment) { [life, left] in
                scheduleNote("the process dies in another fixture")
                left.withLock {
                    $0 = $0 ?? Self.copy(journal, to: later, life.fixture, keepsRequests: keepsRequests)
                }
            }
        }
        try await PublishFixture.run(journal, onJournal: { life.journalWrites($0) }) { publisher in
            try await performAll(journal, with: publisher)
            try await PostVerdict(fixture: life.fixture, post: life.post, publisher: publisher).give()
        }
        guard let fixture = left.withLock(\.self) else { return }
        scheduleNote("what the dead process left is looked at")
        sometimes("a process has died")
        try await PublishFixture.run(later) { publisher in
            try await PostVerdict(fixture: fixture, post: life.post, publisher: publisher).give()
        }
    }

    private func performAll(_ journal: String, with publisher: Publisher) async throws {
        guard operations.contains(where: { if case .twoProcesses = $0 { true } else { false } }) else {
            return try await perform(with: publisher, publisher)
        }
        try await PublishFixture.run(journal, onJournal: { life.journalWrites($0) }) { other in
            try await perform(with: publisher, other)
        }
    }

    private func perform(with publisher: Publisher, _ other: Publisher) async throws {
        try await withThrowingTaskGroup { group in
            for (number, operation) in operations.enumerated() {
                switch operation {
                case .run(let run):
                    group.addTask(name: "run \(number)") { [life] in
                        try await life.perform(
                            run,
                            number,
                            with: number.isMultiple(of: 2) ? publisher : other
                        )
                    }
                case .sweep(let moment, let includingUnfinished):
                    group.addTask(name: "sweep") { [life] in
                        try await life.sweep(
                            atMoment: moment,
                            includingUnfinished: includingUnfinished,
                            with: publisher
                        )
                    }
                case .medium, .server, .fault, .twoProcesses, .readers, .death: break
                }
            }
            try await group.waitForAll()
        }
    }

    /// Copies the journal and what else there is, as a process that dies now leaves it.
    private static func copy(
        _ journal: String,
        to later: String,
        _ fixture: PostFixture,
        keepsRequests: Bool
    ) -> PostFixture? {
        do {
            try JournalFolder.create(later)
            for name in ["journal.sqlite", "journal.sqlite-wal"] {
                let bytes = try OpenFile("\(journal)/\(name)", O_RDONLY).read(1 << 24, at: 0)
                try AtomicFile.write(bytes, to: "\(later)/\(name)")
            }
            return PostFixture(copying: fixture, keepsRequests: keepsRequests)
        } catch {
            fixture.find("the journal could not be copied: \(error)")
            return nil
        }
    }

    private func remove(_ folder: String) {
        for name in FolderNames.all(in: "\(folder)/files") {
            for file in FolderNames.all(in: "\(folder)/files/\(name)") {
                unsafe unlink("\(folder)/files/\(name)/\(file)")
            }
            unsafe rmdir("\(folder)/files/\(name)")
        }
        unsafe rmdir("\(folder)/files")
        for file in FolderNames.all(in: folder) { unsafe unlink("\(folder)/\(file)") }
        unsafe rmdir(folder)
    }
}
