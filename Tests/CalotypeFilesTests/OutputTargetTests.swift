import CalotypeFiles
import CalotypePlatform
import Dispatch
import Testing

struct OutputTargetTests {
    private let scratch = ScratchFolder()

    private var folder: String { scratch.path }

    @Test func `a link stays, and what it leads to is replaced, also where that is not there yet`() throws {
        unsafe mkdir("\(folder)/deep", 0o700)
        unsafe symlink("deep/a", "\(folder)/link")
        unsafe symlink("\(folder)/link", "\(folder)/deep/link")
        for bytes in [[1, 2, 3], [4]] as [[UInt8]] {
            try AtomicFile.write(bytes, to: "\(folder)/deep/link")
            let target = try OpenFile("\(folder)/deep/a", O_RDONLY | O_NOFOLLOW).read(10)
            #expect(target == bytes)
        }
        #expect(kind("link") == S_IFLNK && kind("deep/link") == S_IFLNK)
    }

    @Test func `a FIFO is written to and stays one`() throws {
        let path = "\(folder)/fifo"
        unsafe mkfifo(path, 0o600)
        let reader = try OpenFile(path, O_RDONLY | O_NONBLOCK)
        try AtomicFile.write([1, 2], to: path)
        let first = try reader.read(10)
        #expect(first == [1, 2])
        try OpenFile(writingTo: path).write([3])
        let second = try reader.read(10)
        #expect(second == [3])
        #expect(kind("fifo") == S_IFIFO)
    }

    @Test func `a descriptor is gone on with where it is`() throws {
        let path = "\(folder)/log"
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        try OpenFile(descriptor: file, isOwned: false).write([1])
        try AtomicFile.write([2], to: "/proc/self/fd/\(file)")
        try OpenFile(writingTo: "/proc/thread-self/fd/\(file)").write([3])
        let bytes = try OpenFile(path, O_RDONLY).read(10)
        #expect(bytes == [1, 2, 3])
    }

    @Test func `a descriptor that was not handed down is nobody's to write to`() throws {
        let own = try OpenFile("\(folder)/own", O_RDWR | O_CREAT)
        #expect(throws: SystemError.self) { try AtomicFile.write([1], to: "/proc/self/fd/\(own.descriptor)") }
        let bytes = try own.read(10)
        #expect(bytes == [])
    }

    @Test(arguments: [("deep", EISDIR), ("deep/", EISDIR), ("no/a", ENOENT), ("round", ELOOP)])
    func `an unwritable output is reported`(_ name: String, _ code: Int32) throws {
        unsafe mkdir("\(folder)/deep", 0o700)
        unsafe symlink("round", "\(folder)/round")
        for write in [{ try AtomicFile.write([1], to: $0) }, { _ = try OpenFile(writingTo: $0) }]
            as [(String) throws -> Void]
        {
            let error = #expect(throws: SystemError.self) { try write("\(folder)/\(name)") }
            #expect(error?.code == code)
        }
        #expect(kind("round") == S_IFLNK)
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is shared and non-blocking is waited for`() throws {
        var ends: [Int32] = [-1, -1]
        unsafe pipe(&ends)
        let reader = OpenFile(descriptor: ends[0])
        let bytes = Array(repeating: UInt8(7), count: 1 << 20)
        let flags = fcntl(ends[1], F_GETFL)
        _ = fcntl(ends[1], F_SETFL, flags | O_NONBLOCK)
        let end = ends[1]
        DispatchQueue.global().async {
            // A failure is seen by what is missing; the reader is at its end when the file is closed.
            try? OpenFile(descriptor: end).write(bytes)
        }
        var count = 0
        while case let chunk = try reader.read(1 << 16), !chunk.isEmpty { count += chunk.count }
        #expect(count == bytes.count)
    }

    private func kind(_ name: String) -> mode_t? {
        var status = stat()
        return unsafe lstat("\(folder)/\(name)", &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
