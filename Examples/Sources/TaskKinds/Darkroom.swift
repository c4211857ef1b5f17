import Dispatch

/// A global actor: one isolation domain for code in any number of types.
@globalActor
actor Darkroom {
    static let shared = Darkroom()
}

/// Two types in the darkroom, whose methods never run at the same time.
@Darkroom
final class Enlarger {
    private(set) var prints = 0

    /// Reads, then writes; without isolation, some counts would be lost.
    func makePrint() {
        let count = prints
        prints = count + 1
    }
}

@Darkroom
final class Dryer {
    private let enlarger: Enlarger

    init(_ enlarger: Enlarger) {
        self.enlarger = enlarger
    }

    /// Calls the other type without `await`, because both are in the darkroom.
    func printAnother() -> Int {
        enlarger.makePrint()
        return enlarger.prints
    }
}

/// Runs the jobs of an actor one after another on a dispatch queue.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue
    private static let key = DispatchSpecificKey<String>()

    init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.key, value: label)
    }

    /// The label of the queue that the caller runs on.
    static var currentLabel: String { DispatchQueue.getSpecific(key: key) ?? "another thread" }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// An actor with its own executor, on which its methods run for all callers.
actor Scanner {
    private nonisolated let executor = QueueExecutor(label: "scanner queue")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func place() -> String { QueueExecutor.currentLabel }
}
