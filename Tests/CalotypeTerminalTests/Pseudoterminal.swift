import CalotypePlatform
import TaskFlow

@testable import CalotypeTerminal

/// A terminal of the kernel's with nobody before it but the test.
final class Pseudoterminal: Sendable {
    /// The end at which a person would sit.
    let master: Int32
    /// The end that a program has.
    let slave: Int32
    let path: String
    private let executor = ThreadExecutor(name: "pty", threads: 1)
    private let seen = Guarded("")

    init(columns: UInt16 = 40, rows: UInt16 = 10) throws {
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (number, lock): (Int32, Int32) = (0, 0)
        // What `unlockpt` and `ptsname` do, which Swift's Glibc does not have.
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        guard unsafe ioctl(master, setLock, &lock) == 0, unsafe ioctl(master, getNumber, &number) == 0
        else { throw Failure(errno: errno) }
        path = "/dev/pts/\(number)"
        slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw Failure(errno: errno) }
        resize(columns: columns, rows: rows)
        try executor.start()
    }

    struct Failure: Error {
        let errno: Int32
    }

    /// Closes all that is open; the test's last act.
    func end() async {
        await executor.shutdown()
        close(slave)
        close(master)
    }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize()
        size.ws_col = columns
        size.ws_row = rows
        size.ws_xpixel = columns * 10
        size.ws_ypixel = rows * 20
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(master, bytes, bytes.count)
    }

    /// The four words of flags, as numbers.
    var modes: [UInt32] {
        var modes = termios()
        _ = unsafe tcgetattr(slave, &modes)
        return [modes.c_iflag, modes.c_oflag, modes.c_lflag & ~UInt32(PENDIN), modes.c_cflag]
    }

    /// Waits until `text` has been written `times` times, and gives all that was written so far.
    ///
    /// - Parameters:
    ///   - text: What is waited for.
    ///   - times: How often it has to be there.
    ///   - nudge: Called every tenth of a second meanwhile.
    /// - Returns: All that was written so far.
    /// - Throws: `Failure` after twenty seconds, or when nobody can write any more.
    @discardableResult
    func output(
        until text: String,
        times: Int = 1,
        nudge: @escaping @Sendable () -> Void = {}
    ) async throws -> String {
        try await executor.run {
            var patience = 200
            while self.count(of: text) < times {
                var entry = pollfd(fd: self.master, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&entry, 1, 100) == 1 else {
                    nudge()
                    patience -= 1
                    guard patience > 0 else { throw Failure(errno: ETIMEDOUT) }
                    continue
                }
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = unsafe read(self.master, &bytes, bytes.count)
                guard count > 0 else { throw Failure(errno: errno) }
                self.seen.withLock { $0 += String(decoding: bytes.prefix(count), as: UTF8.self) }
            }
            return self.seen.withLock { $0 }
        }
    }

    private func count(of text: String) -> Int {
        let bytes = seen.withLock { Array($0.utf8) }
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return 0 }
        return (0...bytes.count - wanted.count).count { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}
