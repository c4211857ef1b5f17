internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform

/// A copy of this program that does something else, until it is killed.
struct KilledProcess {
    private let identifier: pid_t
    private let output: OpenFile

    init(_ arguments: [String]) throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        // Not inherited; the copy made for the child below is.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = OpenFile(descriptor: ends[0])
        let writing = OpenFile(descriptor: ends[1])
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, writing.descriptor, 1)
        var words = unsafe (["/proc/self/exe"] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let status = unsafe posix_spawn(&identifier, "/proc/self/exe", &actions, nil, &words, environ)
        guard status == 0 else { throw SystemError("start a process", code: status) }
        self.identifier = identifier
    }

    /// Waits until the process has written something, or has ended.
    func waitForOutput() throws(SystemError) -> Bool {
        try !output.read(1).isEmpty
    }

    /// Ends the process; `false` when it had ended by itself.
    func kill() -> Bool {
        _ = CalotypePlatform.kill(identifier, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == SIGKILL
    }
}
