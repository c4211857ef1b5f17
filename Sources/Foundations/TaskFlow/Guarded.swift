#if !TSAN
public import Synchronization
#endif

/// A value behind a lock, reachable only while the lock is held.
///
/// Hold it for decisions, never across work: take what is needed, leave, then act. It is not recursive.
///
/// Built with `-D TSAN` it is a plain `pthread_mutex_t`, because the thread sanitizer does not see the
/// futex of `Synchronization.Mutex` and reports every use of it as a race.
///
/// It is inlined, because a generic lock that is not looks up its types each time it is taken.
public final class Guarded<Value: ~Copyable>: Sendable {
    #if TSAN
    @usableFromInline let storage: Monitor<Value>
    #else
    @usableFromInline let storage: Mutex<Value>
    #endif

    /// Creates a lock that owns the value.
    @inlinable
    public init(_ value: consuming sending Value) {
        #if TSAN
        storage = Monitor(value)
        #else
        storage = Mutex(value)
        #endif
    }

    /// Runs `body` on the value while no other thread can reach it, and returns what it returns.
    ///
    /// Nothing may be awaited, resumed or called back in `body`; in debug builds, a schedule of `TaskFlowTesting` sees to it.
    @inlinable
    public func withLock<Output: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Output
    ) throws(Failure) -> sending Output {
        #if DEBUG
        LockCount.change(by: 1)
        defer { LockCount.change(by: -1) }
        #endif
        return try storage.withLock(body)
    }
}

/// Counts the locks that the thread of a schedule holds.
@usableFromInline
enum LockCount: Sendable {
    @usableFromInline
    static func change(by change: Int) {
        TaskSchedule.changeLocks(by: change)
    }
}
