internal import CalotypePlatform

#if !TSAN
public import Synchronization
#endif

/// A value behind a lock, reachable only while the lock is held.
///
/// Hold it for decisions, never across work: take what you need, leave, then act. The lock is not recursive.
///
/// Built with `-D TSAN` it is a plain `pthread_mutex_t`, because the thread sanitizer does not see the
/// futex of `Synchronization.Mutex` and reports every use of it as a race.
///
/// Inlined, because otherwise a generic lock looks up its types each time it is taken.
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

    @inlinable deinit {}

    /// Runs `body` on the value while no other thread can reach it, and returns what it returns.
    ///
    /// Do not await, resume or call back in `body`; in debug builds, a schedule of `TaskFlowTesting` checks
    /// it.
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

/// A value behind a POSIX mutex, with a condition on which our own threads wait for it to change.
///
/// For threads that block by design, such as those of an executor; tasks use `Guarded` and continuations.
// SAFETY: the mutex and the condition live at fixed addresses from init to deinit, and `value` is touched
// only between a lock and its unlock.
@safe
@usableFromInline
final class Monitor<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    @usableFromInline
    init(_ value: consuming sending Value) {
        self.value = value
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    @usableFromInline
    func withLock<Output: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Output
    ) throws(Failure) -> sending Output {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Blocks the calling thread until `attempt` returns a value, and tries again after every wake-up.
    func wait<Output>(until attempt: (inout sending Value) -> sending Output?) -> sending Output {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let answer = attempt(&value) { return answer }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    func wakeOne() {
        unsafe pthread_cond_signal(condition)
    }

    func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }
}
