internal import Glibc
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

/// Waits on files that report a shortage of memory, on the thread that calls ``run(_:)``, until ``stop()``.
package final class PressureWatch: Sendable {
    /// Some task waited for 15 % of the time.
    ///
    /// The kernel lets everyone watch in windows of whole 2 s, and shorter ones only
    /// those who have the right to.
    private static let triggers = ["some 150000 1000000", "some 300000 2000000"]

    private let files: Guarded<[Int32]>
    /// Both ends of a socket pair: closing the second for writing wakes the first.
    private let ends: [Int32]

    /// Watches descriptors that are readable with priority (`POLLPRI`) when memory is short, and closes them at its end.
    ///
    /// `nil` when there is nothing to watch, or no descriptor left for a socket.
    package init?(_ descriptors: [Int32]) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard !descriptors.isEmpty, unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
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

    /// Opens a file of pressure stall information; `nil` where there is none, or none that this process may watch.
    package static func open(_ path: String) -> Int32? {
        for trigger in triggers {
            let descriptor = unsafe Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            // The kernel reads up to the zero byte. A file takes one trigger, so that another needs a file of its own.
            let bytes = Array(trigger.utf8) + [0]
            let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count == bytes.count { return descriptor }
            close(descriptor)
        }
        return nil
    }

    /// Calls `onPressure` each time one of the files reports a shortage; closes them and returns after ``stop()``.
    package func run(_ onPressure: () -> Void) {
        // Here and not at the end of this object: the kernel takes about 10 ms, which this thread has.
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

    /// Lets ``run(_:)`` return, at once unless it is in a call of `onPressure`; may be called from any thread, also before.
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
