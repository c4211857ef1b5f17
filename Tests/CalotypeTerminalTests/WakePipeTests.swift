import Glibc
import TaskFlow
import Testing

@testable import CalotypeTerminal

@Suite(.timeLimit(.minutes(1)))
struct WakePipeTests {
    /// Whether the reader is woken within a second.
    private func isWoken(_ pipe: WakePipe) -> Bool {
        var entry = pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 1_000) == 1
    }

    @Test func `a reason told while others are looked at is not lost`() async throws {
        let pipe = try WakePipe()
        let (told, seen) = (Guarded(0), Guarded(0))
        let count = 100_000
        try await withThreadExecutor(name: "waker", threads: 1) { waker in
            async let waking: Void = waker.run {
                for number in 1...count {
                    told.withLock { $0 = number }
                    pipe.wake()
                }
            }
            try await withThreadExecutor(name: "reader", threads: 1) { reader in
                try await reader.run {
                    while seen.withLock({ $0 }) < count {
                        guard isWoken(pipe) else { return }
                        pipe.clear()
                        let number = told.withLock { $0 }
                        seen.withLock { $0 = number }
                    }
                }
            }
            try await waking
        }
        #expect(seen.withLock { $0 } == count)
    }
}
