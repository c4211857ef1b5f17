internal import CalotypeCore
internal import Glibc
internal import TaskFlow

/// A file or pipe that is read on a thread of its own, so that waiting for it is cancellable and blocks nobody.
final class InputFile: Sendable {
    private let file: OpenFile
    private let executor: ThreadExecutor
    private let wakeReader: OpenFile
    private let wakeWriter: OpenFile

    init(_ file: OpenFile, executor: ThreadExecutor) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeReader = OpenFile(descriptor: ends[0])
        wakeWriter = OpenFile(descriptor: ends[1])
        self.file = file
        self.executor = executor
    }

    /// The next bytes, none at the end.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled; the file is of no use afterwards.
    func read() async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(executor) { try await waitAndRead() }
        } onCancel: {
            // One byte always fits; a read that does not start any more has no need of it.
            try? wakeWriter.write([1])
        }
    }

    @concurrent
    private func waitAndRead() async throws -> [UInt8] {
        try Task.checkCancellation()
        var entries = [file, wakeReader].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&entries, 2, -1) < 0 {
            guard errno == EINTR else { throw SystemError("wait for the list") }
        }
        try Task.checkCancellation()
        return try file.read(64 << 10)
    }
}
