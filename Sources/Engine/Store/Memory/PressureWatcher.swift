internal import TaskFlow

/// A thread that waits for shortages of memory, from ``begin()`` to ``end()``.
package final class PressureWatcher: Sendable {
    private enum Phase {
        case idle
        case running(PressureWatch?, MemoryPressure)
        case ended
    }

    private let open: @Sendable () -> (watch: PressureWatch?, files: [String])
    private let onPressure: @Sendable () -> Void
    private let executor = ThreadExecutor(name: "pressure", threads: 1)
    private let scope: TaskScope
    private let phase = Guarded(Phase.idle)

    /// Creates one that does nothing yet; whoever calls ``begin()`` calls ``end()``.
    ///
    /// - Parameters:
    ///   - open: Opens what is watched; the system's own files unless given.
    ///   - onPressure: Called on the thread at each shortage.
    package init(
        opening open: @escaping @Sendable () -> (watch: PressureWatch?, files: [String]) = systemFiles,
        _ onPressure: @escaping @Sendable () -> Void
    ) {
        self.open = open
        self.onPressure = onPressure
        scope = TaskScope(executor: executor)
    }

    /// What is watched now.
    package var pressure: MemoryPressure {
        phase.withLock { phase in
            if case .running(_, let pressure) = phase { pressure } else { MemoryPressure(files: []) }
        }
    }

    /// Starts to watch where the system tells anything; a second call changes nothing, nor does one after the end.
    package func begin() {
        let isFirst = phase.withLock { phase in
            guard case .idle = phase else { return false }
            phase = .running(nil, MemoryPressure(files: []))
            return true
        }
        guard isFirst else { return }
        let (watch, files) = open()
        // Without a thread nothing is noticed, which harms nobody.
        guard let watch, (try? executor.start()) != nil else { return }
        let isWanted = phase.withLock { phase in
            guard case .running = phase else { return false }
            phase = .running(watch, MemoryPressure(files: files))
            return true
        }
        guard isWanted else { return }
        // Refused when the end has come meanwhile.
        _ = try? scope.start(name: "memory pressure") { [onPressure] in watch.run(onPressure) }
    }

    /// Stops to watch, and returns when the thread has ended and the files are closed.
    package func end() async {
        let last = phase.withLock { phase in
            defer { phase = .ended }
            return phase
        }
        if case .running(let watch?, _) = last { watch.stop() }
        await scope.end(.drain)
        await executor.shutdown()
    }

    private static let systemFiles: @Sendable () -> (watch: PressureWatch?, files: [String]) = {
        let files = MemoryPressure.candidates.compactMap { path in
            PressureWatch.open(path).map { (path, $0) }
        }
        return (PressureWatch(files.map(\.1)), files.map(\.0))
    }
}
