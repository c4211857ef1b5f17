import CalotypePlatform
import CalotypeStore
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MemoryPressureTests {
    @Test func `each shortage is reported while the scope lasts`() async throws {
        let (file, kernel) = try Self.sockets()
        defer { close(kernel) }
        let told = Recorder<Int>()
        let watcher = PressureWatcher(opening: Self.opening([file])) {
            // What the kernel does by itself: a report is told once.
            var byte: UInt8 = 0
            told.record(unsafe recv(file, &byte, 1, Int32(MSG_OOB)))
        }
        try await withMemoryPressure(watcher) { pressure in
            #expect(pressure.isWatched && pressure.files == ["test"])
            for count in 1...3 {
                Self.report(kernel)
                try await told.wait(count: count)
            }
        }
        #expect(told.values == [1, 1, 1])
    }

    @Test func `it ends with its scope, however the scope ends, and leaves no thread`() async throws {
        struct Failure: Error {}
        var options = QuietCheck.Options()
        options.descriptors = false
        options.threads = ["pressure"]
        let check = await QuietCheck.begin(options)
        for ending in ["return", "throw", "cancel"] {
            let (file, kernel) = try Self.sockets()
            let watcher = PressureWatcher(opening: Self.opening([file])) {}
            let task = Task {
                try await withMemoryPressure(watcher) { _ in
                    switch ending {
                    case "throw": throw Failure()
                    case "cancel": try await Event().wait()
                    default: break
                    }
                }
            }
            if ending == "cancel" { task.cancel() }
            let result = await task.result
            #expect((try? result.get()) == nil || ending == "return")
            close(kernel)
        }
        try await check.expectQuiet()
    }

    @Test func `a file that has gone is watched no more, the others are`() async throws {
        let (gone, end) = try Self.sockets()
        let (file, kernel) = try Self.sockets()
        defer { close(kernel) }
        let told = Event()
        let watcher = PressureWatcher(opening: Self.opening([gone, file])) { told.signal() }
        try await withMemoryPressure(watcher) { _ in
            close(end)
            Self.report(kernel)
            try await told.wait()
        }
    }

    @Test func `where nothing can be watched there is no thread, and the scope knows`() async {
        #expect(PressureWatch.open("/nowhere/memory.pressure") == nil)
        #expect(PressureWatch.open("/proc/self/status") == nil)
        #expect(PressureWatch([]) == nil)
        let watcher = PressureWatcher(opening: Self.opening([])) {}
        let isWatched = await withMemoryPressure(watcher) { $0.isWatched }
        #expect(!isWatched)
    }

    @Test func `it begins once, and not after its end`() async {
        let opened = Recorder<Int>()
        let watcher = PressureWatcher(opening: {
            opened.record(1)
            return (nil, [])
        }) {}
        watcher.begin()
        watcher.begin()
        await watcher.end()
        watcher.begin()
        await watcher.end()
        #expect(opened.count == 1)
    }

    private static let hasSystemFile = unsafe access("/proc/pressure/memory", W_OK) == 0

    @Test(.enabled(if: hasSystemFile, "this kernel tells no pressure"))
    func `the system's own file takes the trigger, and says nothing while there is memory`() async {
        let pressure = await withMemoryPressure {
        } during: {
            $0
        }
        #expect(pressure.files.first == "/proc/pressure/memory")
    }

    private static func opening(_ files: [Int32]) -> @Sendable () -> (watch: PressureWatch?, files: [String])
    {
        { (PressureWatch(files), files.map { _ in "test" }) }
    }

    /// Two ends of a connection: what is urgent on the second makes the first readable with priority.
    private static func sockets() throws -> (Int32, Int32) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0 && connect(client, address, length) == 0
            }
        }
        try #require(isConnected)
        return (accept(listener, nil, nil), client)
    }

    private static func report(_ kernel: Int32) {
        var byte: UInt8 = 1
        #expect(unsafe send(kernel, &byte, 1, Int32(MSG_OOB)) == 1)
    }
}
