import CalotypeCore
import Dispatch
import TaskFlow

/// Somebody who waits for a worker, on a thread that blocks.
final class WorkerWait: Sendable, Stoppable {
    /// What the wait ended with.
    enum Outcome {
        case worker(WorkerProcess)
        case failed(CalotypeError)
    }

    private let outcome = Guarded<Outcome?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Ends the wait.
    func end(_ outcome: Outcome) {
        self.outcome.withLock { $0 = outcome }
        semaphore.signal()
    }

    /// Ends the wait without an outcome.
    func stop() {
        semaphore.signal()
    }

    /// Blocks until the wait ends, at most `limit`.
    func block(_ limit: Duration) {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        _ = semaphore.wait(timeout: .now() + seconds)
    }

    /// The outcome, if there is one.
    var value: Outcome? { outcome.withLock { $0 } }
}
