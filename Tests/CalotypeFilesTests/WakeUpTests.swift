import CalotypeFiles
import CalotypePlatform
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WakeUpTests {
    /// Whether the thread is woken within a time; 0 checks without waiting.
    private func isWoken(_ wakeUp: WakeUp, milliseconds: Int32 = 1_000) -> Bool {
        var entry = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) == 1
    }

    @Test func `a wake-up during a take is not lost`() async throws {
        let wakeUp = try WakeUp()
        let (told, seen) = (Guarded(0), Guarded(0))
        let count = 100_000
        try await withThreadExecutor(name: "waker", threads: 1) { waker in
            async let waking: Void = waker.run {
                for number in 1...count {
                    told.withLock { $0 = number }
                    wakeUp.wake()
                }
            }
            try await withThreadExecutor(name: "reader", threads: 1) { reader in
                try await reader.run {
                    while seen.withLock({ $0 }) < count {
                        guard isWoken(wakeUp) else { return }
                        wakeUp.take()
                        let number = told.withLock { $0 }
                        seen.withLock { $0 = number }
                    }
                }
            }
            try await waking
        }
        #expect(seen.withLock { $0 } == count)
    }

    @Test func `a signal handler wakes with eight bytes`() throws {
        let wakeUp = try WakeUp()
        var one: UInt64 = 1
        _ = unsafe write(wakeUp.descriptor, &one, 8)
        #expect(isWoken(wakeUp))
        wakeUp.take()
        #expect(!isWoken(wakeUp, milliseconds: 0))
    }

    @Test func `nothing is written after the close`() throws {
        let wakeUp = try WakeUp()
        wakeUp.close()
        // The lowest free number: the one that was closed.
        let next = try WakeUp()
        wakeUp.wake()
        wakeUp.close()
        #expect(next.descriptor == wakeUp.descriptor)
        #expect(!isWoken(next, milliseconds: 0))
    }
}
