import CalotypeCPOSIX
import CalotypeCore
import CalotypeFiles
import Glibc

/// What a template does: forks workers, ends those that the program lets go of, and tells how they ended, until the program is
/// gone, on its one thread.
struct TemplateService {
    private struct Child {
        let leash: WorkerSocket
        var isKilled = false
    }

    private let socket: WorkerSocket
    private let onJob: (Transform?, Int32) -> Void
    /// Becomes readable when a worker ends.
    private let watch: OpenFile
    /// Nothing happens here between two forks that would change it.
    private let canFork = cworker_can_fork() != 0
    private var children: [pid_t: Child] = [:]

    init(_ socket: WorkerSocket, _ onJob: @escaping (Transform?, Int32) -> Void) throws(SystemError) {
        self.socket = socket
        self.onJob = onJob
        let descriptor = cworker_watch_children()
        guard descriptor >= 0 else { throw SystemError("watch processes") }
        watch = OpenFile(descriptor: descriptor)
        unsafe cworker_name("decode-template")
    }

    /// Serves, and ends the process.
    mutating func run() throws -> Never {
        while true {
            let released = news()
            for process in released { kill(process) }
            reap()
            let (arrival, files) = try socket.receiveWithFiles()
            switch arrival {
            case .nothing: continue
            case .message(.fork): try fork(files)
            case .message, .end, .endUnread: _exit(0)
            }
        }
    }

    /// Waits for something to do, and gives the workers that were let go of.
    private func news() -> [pid_t] {
        let held = children.filter { !$0.value.isKilled }.map { (process: $0.key, leash: $0.value.leash) }
        var polls = [pollfd(socket.descriptor), pollfd(watch.descriptor)]
        polls += held.map { pollfd($0.leash.descriptor) }
        guard unsafe Glibc.poll(&polls, nfds_t(polls.count), -1) > 0 else { return [] }
        return zip(held, polls.dropFirst(2)).filter { $1.revents != 0 }.map(\.0.process)
    }

    /// It has not been waited for, so that the number is its own.
    private mutating func kill(_ process: pid_t) {
        _ = cworker_kill(process)
        children[process]?.isKilled = true
    }

    /// Waits for those that have ended, and tells how.
    private mutating func reap() {
        var signal: Int32 = 0
        var status: Int32 = 0
        while true {
            let process = unsafe cworker_reap(watch.descriptor, &signal, &status)
            guard process > 0 else { return }
            let child = children.removeValue(forKey: process)
            // Nobody may want to know any more.
            try? child?.leash.send(.ended(signal == 0 ? .status(status) : .signal(signal)))
        }
    }

    private mutating func fork(_ files: [OpenFile]) throws {
        guard files.count == Int(cworker_descriptors) else {
            throw SystemError("take descriptors", code: EMFILE)
        }
        let channel = WorkerChannel(socket: WorkerSocket(file: files[0]), memory: files[1])
        let leash = WorkerSocket(file: files[2])
        do {
            children[try start(channel)] = Child(leash: leash)
        } catch {
            try? leash.send(.ended(.unstarted(error.code)))
        }
    }

    /// Starts a worker, and does not return in that.
    private func start(_ channel: WorkerChannel) throws(SystemError) -> pid_t {
        // Slower, and sound whatever the process is like.
        guard canFork else { return try WorkerProgram.again.start(channel, group: getpgrp()) }
        let process = cworker_fork(channel.socket.descriptor, channel.memory.descriptor)
        guard process >= 0 else { throw SystemError("start a process") }
        guard process == 0 else { return process }
        guard let channel = WorkerChannel.inherited() else { _exit(1) }
        WorkerService(channel, onJob).runForked()
    }
}
