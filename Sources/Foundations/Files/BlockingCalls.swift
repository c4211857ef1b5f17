internal import CalotypeCPOSIX

/// Finds calls that block on the threads of Swift's cooperative pool, in debug builds.
///
/// A thread of the pool that waits for a disk or a name server delays tasks that have nothing to do with it.
package enum BlockingCalls {
    /// Receives the calls that tasks make on such a thread; `nil`, the default, allows them.
    @TaskLocal package static var observer: (@Sendable (String) -> Void)?

    /// Reports `call` if it is on a thread of the pool.
    ///
    /// - Returns: `true`, so that `assert` leaves it out of release builds.
    package static func note(_ call: @autoclosure () -> String) -> Bool {
        if let observer, calotype_is_pool_thread() != 0 { observer(call()) }
        return true
    }
}
