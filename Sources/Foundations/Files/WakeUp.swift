internal import CalotypeCPOSIX
internal import CalotypePlatform
internal import Synchronization
internal import TaskFlow

/// An event counter that ends a thread's wait for descriptors; closed by its owner, or when it is released.
package final class WakeUp: Sendable {
    /// Readable from a ``wake()`` until the thread takes it.
    package let descriptor: Int32
    /// Takes the number 1 in eight bytes, which a signal handler may write; on Linux the same descriptor.
    package let input: Int32
    private let pending = Atomic(false)
    private let isOpen = Guarded(true)

    /// Creates the counter.
    ///
    /// - Throws: `SystemError` if no descriptor is available.
    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe calotype_wake_up_create(&ends) == 0 else { throw SystemError("create an event counter") }
        (descriptor, input) = (ends[0], ends[1])
    }

    deinit {
        close()
    }

    /// Closes the counter; a later ``wake()`` has no effect.
    package func close() {
        isOpen.withLock { isOpen in
            if isOpen {
                CalotypePlatform.close(descriptor)
                if input != descriptor { CalotypePlatform.close(input) }
            }
            isOpen = false
        }
    }

    /// Whether ``wake()`` was called since the last ``take()``.
    package var isPending: Bool { pending.load(ordering: .sequentiallyConsistent) }

    /// Wakes the thread, or prevents its next wait.
    ///
    /// The thread sees everything that was written before the call. Further calls before it wakes cost almost
    /// nothing.
    package func wake() {
        guard !pending.exchange(true, ordering: .sequentiallyConsistent) else { return }
        // The lock keeps the descriptor open during the write, which does not block.
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            var one: UInt64 = 1
            let count = unsafe write(input, &one, MemoryLayout<UInt64>.size)
            // A full counter is readable as well.
            precondition(count > 0 || errno == EAGAIN, "an open event counter fails")
        }
    }

    /// Takes all wake-ups so far.
    ///
    /// The thread calls it before it checks for work.
    package func take() {
        var count: UInt64 = 0
        // The writer may be between its two steps; the next turn then reads the counter.
        guard unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) > 0 else { return }
        // Not before the read, which could take a later wake-up, and then nobody would send another.
        pending.store(false, ordering: .sequentiallyConsistent)
    }
}
