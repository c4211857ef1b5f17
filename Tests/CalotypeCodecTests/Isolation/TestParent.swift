import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// A program whose workers are at work.
struct TestParent {
    private let process: pid_t
    private let output: OpenFile

    init() throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = OpenFile(descriptor: ends[0])
        let writing = OpenFile(descriptor: ends[1])
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, writing.descriptor, 1)
        let strings: [String] = [TestWorker.path, "parent"]
        var words = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawn(&process, TestWorker.path, &actions, nil, &words, nil)
        guard status == 0 else { throw SystemError("start a process", code: status) }
        self.process = process
    }

    /// Its template and workers, as soon as one of them works.
    func processes() throws -> [pid_t] {
        _ = try output.read(1)
        return TestWorker.processes(of: process)
    }

    func kill() {
        _ = CalotypePlatform.kill(process, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
