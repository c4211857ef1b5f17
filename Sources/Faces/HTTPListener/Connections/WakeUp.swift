import CalotypeCPOSIX
import CalotypeFiles
import Glibc
import Synchronization
import TaskFlow

/// An event counter that ends a thread's wait for descriptors; its owner must close it.
final class WakeUp: Sendable {
    /// The counter's descriptor, readable from a ``wake()`` until the thread consumes it.
    let descriptor: Int32
    private let isPending = Atomic(false)
    private let isOpen = Guarded(true)

    /// Creates the counter.
    ///
    /// - Throws: `resource_shortage`.
    init() throws(HTTPListenerError) {
        descriptor = calotype_eventfd_create()
        guard descriptor < 0 else { return }
        let cause = SystemError("create an event counter")
        throw HTTPListenerError(.connectFailed, cause.description, cause: cause)
    }

    /// Closes the counter.
    ///
    /// A later ``wake()`` has no effect.
    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Glibc.close(descriptor) }
            isOpen = false
        }
    }

    /// Wakes the thread, or prevents its next wait.
    ///
    /// The thread sees everything that was written before the call. Further calls before it wakes cost almost
    /// nothing.
    func wake() {
        guard !isPending.exchange(true, ordering: .sequentiallyConsistent) else { return }
        // The lock keeps the descriptor open during the write, which does not block.
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            var one: UInt64 = 1
            let count = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
            // A counter at its maximum is readable as well.
            precondition(count > 0 || errno == EAGAIN, "an event counter that nobody has closed fails")
        }
    }

    /// Consumes all wake-ups so far.
    ///
    /// The thread calls it before it checks for work.
    func take() {
        guard isPending.load(ordering: .sequentiallyConsistent) else { return }
        var count: UInt64 = 0
        // The writer may be between its two steps; the next turn then reads the counter.
        guard unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) > 0 else { return }
        _ = isPending.exchange(false, ordering: .sequentiallyConsistent)
    }
}
