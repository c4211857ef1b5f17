import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

// The keeper's side.
extension WorkerPool {
    /// Starts, watches and ends workers until the pool is shut down and none is left.
    func keep(_ event: WakeUp) {
        while true {
            let now = now
            let (actions, isOver) = state.withLock { state in
                let actions = state.roster.actions(now: now)
                return (actions, state.roster.isClosed && state.roster.isEmpty && actions.ends.isEmpty)
            }
            for id in actions.ends { end(id, "it was not ready in time") }
            for _ in 0..<actions.starts { startWorker() }
            if actions.isAtRest || isOver { endTemplate() }
            if isOver { return }
            if actions.ends.isEmpty, actions.starts == 0 { watch(event, until: actions.next) }
        }
    }

    private func startWorker() {
        let id = state.withLock { $0.roster.enter(now: now) }
        do throws(SystemError) {
            let worker = try forkWorker(id)
            state.withLock { $0.processes[id] = worker }
        } catch {
            guard error.isClosedPeer, let template = state.withLock({ $0.template }) else {
                failed(id, error.reason, error.isShortage ? error : nil, isHopeless: true)
                return
            }
            // The template was started only a moment ago.
            lost(template)
            failed(id, template.reason, isOrphan: true)
        }
    }

    private func forkWorker(_ id: Int) throws(SystemError) -> WorkerProcess {
        if let template = state.withLock({ $0.template }) {
            do throws(SystemError) {
                return try WorkerProcess(id, of: template)
            } catch {
                guard error.isClosedPeer else { throw error }
                endTemplate()
            }
        }
        // The template accepts requests before it is ready.
        return try WorkerProcess(id, of: startTemplate(from: id))
    }

    /// Starts the template from which the worker `id` and later ones are forked.
    @discardableResult
    private func startTemplate(from id: Int) throws(SystemError) -> WorkerTemplate {
        let template = try WorkerTemplate(configuration.program)
        state.withLock { state in
            state.template = template
            state.templates += 1
            state.roster.renew(from: id)
        }
        return template
    }

    private func endTemplate() {
        let template = state.withLock { state in
            defer { state.template = nil }
            return state.template
        }
        template?.end()
    }

    /// Handles a template that has ended or cannot be used.
    ///
    /// One that was good is replaced immediately, so that the next worker need not wait for it.
    private func lost(_ template: WorkerTemplate) {
        let (isPresent, next) = state.withLock { state in
            let roster = state.roster
            let isWanted = roster.hasProvenTemplate && !roster.isClosed
            return (state.template === template, isWanted ? roster.entered + 1 : nil)
        }
        guard isPresent else { return }
        endTemplate()
        // If this fails, the next start of a worker reports the problem.
        if let next { _ = try? startTemplate(from: next) }
    }

    /// Waits for events from the workers that are not in use, or for a wake-up.
    private func watch(_ event: WakeUp, until next: Duration?) {
        let (template, starting, idle) = state.withLock { state in
            (
                state.template, state.roster.starting.compactMap { state.processes[$0] },
                state.roster.idle.compactMap { state.processes[$0] }
            )
        }
        // A ready template and an idle worker send nothing: only their end is an event, even if the worker is
        // taken in the meantime.
        var polls =
            [
                pollfd(event.descriptor),
                pollfd(template?.socket.descriptor ?? -1, for: template?.isReady == true ? 0 : POLLIN),
            ]
            + starting.map { pollfd($0.channel.socket.descriptor) }
            + idle.map { pollfd($0.channel.socket.descriptor, for: 0) }
        let limit = next.map { max(.zero, $0 - now) }
        guard unsafe poll(&polls, nfds_t(polls.count), limit?.pollMilliseconds ?? -1) > 0 else { return }
        event.take()
        if let template, polls[1].revents != 0, template.isReady || !template.hear() { lost(template) }
        for (worker, poll) in zip(starting + idle, polls.dropFirst(2)) where poll.revents != 0 {
            if poll.events == 0 { lost(worker) } else { hear(worker) }
        }
    }

    /// Handles a message from a worker that was started.
    private func hear(_ worker: WorkerProcess) {
        switch Result(catching: { () throws(SystemError) in try worker.channel.socket.receive() }) {
        case .success(.message(.ready(version: WorkerMessage.version, let process))):
            worker.isReady(as: process)
            let now = now
            let wait = state.withLock { state in
                state.roster.ready(worker.id, now: now).flatMap { state.waits.removeValue(forKey: $0) }
            }
            wait?.end(.worker(worker))
        case .success(.nothing): return
        case .success(.end), .success(.endUnread): end(worker.id, nil)
        case .success(.message), .failure: end(worker.id, "it is not a worker of this version")
        }
    }

    /// Handles an idle worker that has ended.
    ///
    /// If a caller took or returned it in the meantime, that caller handles its end.
    private func lost(_ worker: WorkerProcess) {
        if state.withLock({ $0.roster.seize(idle: worker.id) }) { end(worker.id, nil) }
    }

    /// Ends a worker that the keeper holds.
    private func end(_ id: Int, _ reason: String?) {
        guard let worker = state.withLock({ $0.processes[id] }) else { return }
        let end = worker.end()
        if end == .orphaned { lost(worker.template) }
        let cause = end == .orphaned ? worker.template.reason : end.description
        failed(id, reason ?? cause, isOrphan: end == .orphaned)
    }

    private func failed(
        _ id: Int,
        _ reason: String,
        _ shortage: SystemError? = nil,
        isHopeless: Bool = false,
        isOrphan: Bool = false
    ) {
        let now = now
        // A start needs several descriptors, and fails in many ways without them.
        let shortage = shortage ?? SystemError.descriptorShortage(opening: 8)
        let waits = state.withLock { state in
            state.failure = reason
            state.shortage = shortage
            state.processes[id] = nil
            let tickets = state.roster.gone(id, now: now, isHopeless: isHopeless, isOrphan: isOrphan)
            return tickets.compactMap { state.waits.removeValue(forKey: $0) }
        }
        for wait in waits { wait.end(.failed(unavailable(reason, shortage))) }
    }
}
