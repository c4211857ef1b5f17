internal import CalotypePlatform
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

    /// Creates an idle watcher; code that calls ``begin()`` must also call ``end()``.
    ///
    /// - Parameters:
    ///   - open: Opens the files to watch; the system's own by default.
    ///   - onPressure: Called on the thread at each shortage.
    package init(
        opening open: @escaping @Sendable () -> (watch: PressureWatch?, files: [String]) = systemFiles,
        _ onPressure: @escaping @Sendable () -> Void
    ) {
        self.open = open
        self.onPressure = onPressure
        scope = TaskScope(executor: executor)
    }

    /// The files that are being watched.
    package var pressure: MemoryPressure {
        phase.withLock { phase in
            if case .running(_, let pressure) = phase { pressure } else { MemoryPressure(files: []) }
        }
    }

    /// Starts watching if the system reports anything; does nothing at a second call or after the end.
    package func begin() {
        let isFirst = phase.withLock { phase in
            guard case .idle = phase else { return false }
            phase = .running(nil, MemoryPressure(files: []))
            return true
        }
        guard isFirst else { return }
        let (watch, files) = open()
        // Without a thread, shortages go unnoticed, which does no harm.
        guard let watch, (try? executor.start()) != nil else { return }
        let isWanted = phase.withLock { phase in
            guard case .running = phase else { return false }
            phase = .running(watch, MemoryPressure(files: files))
            return true
        }
        guard isWanted else { return }
        // Refused if the watcher has ended meanwhile.
        _ = try? scope.start(name: "memory pressure") { [onPressure] in watch.run(onPressure) }
    }

    /// Stops watching, and returns when the thread has ended and the files are closed.
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

/// Waits on files that report a shortage of memory, on the thread that calls ``run(_:)``, until ``stop()``.
package final class PressureWatch: Sendable {
    /// The triggers: some task waited for 15 % of the time.
    ///
    /// The kernel lets everyone watch in windows of whole 2 s, and only privileged processes in shorter ones.
    private static let triggers = ["some 150000 1000000", "some 300000 2000000"]

    private let files: Guarded<[Int32]>
    /// Both ends of a socket pair: closing the second for writing wakes the first.
    private let ends: [Int32]

    /// Watches descriptors that become readable with priority (`POLLPRI`) when memory is short, and closes
    /// them at its end.
    ///
    /// `nil` if there is nothing to watch, or if no descriptor is left for a socket.
    package init?(_ descriptors: [Int32]) {
        var ends: [Int32] = [-1, -1]
        guard !descriptors.isEmpty, Platform.socketPair(&ends) == 0 else {
            for descriptor in descriptors { close(descriptor) }
            return nil
        }
        files = Guarded(descriptors)
        self.ends = ends
    }

    deinit {
        closeFiles()
        for end in ends { close(end) }
    }

    /// Opens a file of pressure stall information; `nil` if there is none, or if this process may not watch
    /// it.
    package static func open(_ path: String) -> Int32? {
        for trigger in triggers {
            let descriptor = unsafe CalotypePlatform.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            // The kernel reads up to the zero byte. A file has one trigger, so another trigger needs another
            // open file.
            let bytes = Array(trigger.utf8) + [0]
            let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count == bytes.count { return descriptor }
            close(descriptor)
        }
        return nil
    }

    /// Calls `onPressure` each time one of the files reports a shortage; closes them and returns after
    /// ``stop()``.
    package func run(_ onPressure: () -> Void) {
        // Here and not in deinit: the kernel takes about 10 ms, which this thread can spare.
        defer { closeFiles() }
        var entries = [pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)]
        entries += files.withLock { $0 }.map { pollfd(fd: $0, events: Int16(POLLPRI), revents: 0) }
        while true {
            guard unsafe poll(&entries, nfds_t(entries.count), -1) >= 0 else {
                if errno == EINTR || errno == EAGAIN || errno == ENOMEM { continue }
                return
            }
            if entries[0].revents != 0 { return }
            // A file whose control group is gone reports an error for ever.
            entries.removeAll { $0.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 }
            if entries.contains(where: { $0.revents & Int16(POLLPRI) != 0 }) { onPressure() }
        }
    }

    /// Makes ``run(_:)`` return, immediately unless it is calling `onPressure`.
    ///
    /// May be called from any thread, even before ``run(_:)``.
    package func stop() {
        shutdown(ends[1], Int32(SHUT_WR))
    }

    private func closeFiles() {
        let descriptors = files.withLock { files in
            defer { files = [] }
            return files
        }
        for descriptor in descriptors { close(descriptor) }
    }
}
