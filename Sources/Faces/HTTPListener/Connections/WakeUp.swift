import CalotypeCPOSIX
import CalotypeFiles
import Glibc
import Synchronization
import TaskFlow

/// An event counter that ends a thread's wait for descriptors; its owner closes it.
final class WakeUp: Sendable {
    /// Readable from a ``wake()`` on until the thread takes it.
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

    /// Closes the counter; a ``wake()`` after this does nothing.
    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Glibc.close(descriptor) }
            isOpen = false
        }
    }

    /// Wakes the thread, or keeps it from its next wait.
    ///
    /// It sees everything that was done before. A second call before it woke costs nothing.
    func wake() {
        guard !isPending.exchange(true, ordering: .sequentiallyConsistent) else { return }
        // Under the lock, so that it is not closed meanwhile; it does not block.
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            var one: UInt64 = 1
            let count = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
            // A counter that is full is readable as well.
            precondition(count > 0 || errno == EAGAIN, "an event counter that nobody has closed fails")
        }
    }

    /// Takes all wake-ups so far; the thread calls it before it looks at what there is to do.
    func take() {
        guard isPending.load(ordering: .sequentiallyConsistent) else { return }
        var count: UInt64 = 0
        // The writer may be between its two steps: then the counter is read in the next round.
        guard unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) > 0 else { return }
        _ = isPending.exchange(false, ordering: .sequentiallyConsistent)
    }
}
