import CalotypeCPOSIX
import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// The work of a template, on its single thread, until the program is gone.
///
/// The template forks workers, ends those that the program releases, and reports how they ended.
struct TemplateService {
    private struct Child {
        let leash: WorkerSocket
        var isKilled = false
    }

    private let socket: WorkerSocket
    private let trial: WorkerTrial
    /// Becomes readable when a worker ends.
    private let watch: OpenFile
    /// Whether forking is safe.
    ///
    /// Nothing between two forks changes this.
    private let canFork = cworker_can_fork() != 0
    private var children: [pid_t: Child] = [:]

    init(_ socket: WorkerSocket, _ trial: WorkerTrial) throws(SystemError) {
        self.socket = socket
        self.trial = trial
        let descriptor = cworker_watch_children()
        guard descriptor >= 0 else { throw SystemError("watch processes") }
        watch = OpenFile(descriptor: descriptor)
        unsafe cworker_name("decode-template")
    }

    /// Serves requests until the program is gone, and ends the process.
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

    /// Waits for something to do, and returns the workers that were released.
    private func news() -> [pid_t] {
        let held = children.filter { !$0.value.isKilled }.map { (process: $0.key, leash: $0.value.leash) }
        var polls = [pollfd(socket.descriptor), pollfd(watch.descriptor)]
        polls += held.map { pollfd($0.leash.descriptor) }
        guard unsafe CalotypePlatform.poll(&polls, nfds_t(polls.count), -1) > 0 else { return [] }
        return zip(held, polls.dropFirst(2)).filter { $1.revents != 0 }.map(\.0.process)
    }

    /// Kills a worker, whose number is still its own because it has not been reaped.
    private mutating func kill(_ process: pid_t) {
        _ = cworker_kill(process)
        children[process]?.isKilled = true
    }

    /// Reaps the workers that have ended, and reports how they ended.
    private mutating func reap() {
        var signal: Int32 = 0
        var status: Int32 = 0
        while true {
            let process = unsafe cworker_reap(watch.descriptor, &signal, &status)
            guard process > 0 else { return }
            let child = children.removeValue(forKey: process)
            // The program may no longer be interested.
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

    /// Starts a worker; in the worker itself it does not return.
    private func start(_ channel: WorkerChannel) throws(SystemError) -> pid_t {
        // Slower, but safe whatever state the process is in.
        guard canFork else { return try WorkerProgram.again.start(channel, group: getpgrp()) }
        let process = cworker_fork(channel.socket.descriptor, channel.memory.descriptor)
        guard process >= 0 else { throw SystemError("start a process") }
        guard process == 0 else { return process }
        guard let channel = WorkerChannel.inherited() else { _exit(1) }
        WorkerService(channel, trial).runForked()
    }
}
