import CalotypeHTTPListener
import TaskFlow
import TaskFlowTesting

/// Runs clients against a listener without sockets, ends it, and checks what became of each request.
struct ListenerTrial {
    private struct Watch: ConnectionWatching {
        func stopAccepting() {}
        func connectionEnded() {}
        func linger(_ descriptor: Int32) -> Bool { false }
    }

    private let operations: [ListenerOperation]
    private let records = RequestRecords()

    init(_ operations: [ListenerOperation]) {
        self.operations = operations
    }

    func run() async throws {
        let inbox = try LoopInbox()
        defer { inbox.close() }
        let departures = Guarded<[String: @Sendable () -> Void]>([:])
        let responder = TrialResponder(records: records, departures: departures)
        let core = ListenerCore(HTTPListenerConfiguration(), responder, TaskScope(), Watch())
        let listener = HTTPListener(host: "nowhere", port: 0, core: core)
        try await withThrowingTaskGroup { group in
            for (number, operation) in operations.enumerated() {
                switch operation {
                case .client(let plan):
                    group.addTask(name: "client \(number)") {
                        try await come(plan, number, core, inbox, departures)
                    }
                case .drain(let start, let grace):
                    group.addTask(name: "drain") { try await drain(listener, start, grace) }
                }
            }
            // What has no end of its own is ended by the owner.
            group.addTask(name: "owner") {
                try await Task.sleep(for: .seconds(5))
                await listener.drain(within: .zero)
                await core.end()
            }
            try await group.waitForAll()
        }
        try check(core)
    }

    // MARK: Clients

    private func come(
        _ plan: ClientPlan,
        _ number: Int,
        _ core: ListenerCore,
        _ inbox: LoopInbox,
        _ departures: Guarded<[String: @Sendable () -> Void]>
    ) async throws {
        try await Task.sleep(nanoseconds: 10_000_000 * UInt64(plan.start))
        // The socket is closed by then.
        guard !core.isDraining else { return }
        let client = TrialClient(number, core, inbox)
        for (index, request) in plan.requests.enumerated() {
            records.add(client.target(index), request, client)
        }
        guard core.connections.insert(client.connection, limit: 0) else {
            return records.find("a connection is refused that no limit refuses")
        }
        client.connection.opened()
        let library = TrialLibrary(core: core, records: records, client: client)
        // Owner: this function, which awaits it.
        let served = Task(name: "library \(number)") { try await library.serve(plan.requests) }
        switch plan.departure {
        case nil: break
        case .after(let time):
            try await Task.sleep(nanoseconds: 10_000_000 * UInt64(time))
            client.leave()
        case .duringFirstAnswer(let request):
            departures.withLock { $0["first \(client.target(request))"] = { client.leave() } }
        case .duringPlan(let request):
            departures.withLock { $0["plan \(client.target(request))"] = { client.leave() } }
        }
        try await served.value
    }

    private func drain(_ listener: HTTPListener, _ start: Int, _ grace: Int) async throws {
        try await Task.sleep(nanoseconds: 10_000_000 * UInt64(start))
        scheduleNote("the listener drains")
        let began = ContinuousClock.now
        let promised = records.all.filter { $0.record.began != nil }.map(\.target)
        await listener.drain(within: .milliseconds(10 * grace))
        scheduleNote("the listener has drained")
        if ContinuousClock.now - began > .milliseconds(10 * grace) {
            records.find("a drain takes longer than it may")
        }
        guard grace >= 200 else { return }
        for target in promised {
            guard let record = records[target], record.plan.isAnswered, !record.client.hasLeft else {
                continue
            }
            if !record.isDelivered { records.find("\(target) was begun, and is not answered after a drain") }
            sometimes("a drain waits for an answer")
        }
    }

    // MARK: The end

    private func check(_ core: ListenerCore) throws {
        if core.connections.count > 0 { records.find("\(core.connections.count) connections are left") }
        if core.tasks.activeCount > 0 { records.find("tasks of requests are left") }
        for (target, record) in records.all { check(target, record) }
        if let finding = records.findings.first { throw ScheduleError(finding) }
    }

    private func check(_ target: String, _ record: RequestRecords.Record) {
        guard record.began != nil else {
            if !record.ends.isEmpty { records.find("\(target) ended, and never began") }
            return
        }
        guard record.ends.count == 1, let finished = record.finished else {
            return records.find("the end of \(target) is told \(record.ends.count) times")
        }
        if record.mustBeLast, !record.isLast, !record.answers.isEmpty {
            records.find("the answer to \(target) leaves its connection open while the listener drains")
        }
        if record.answers.count > 1 { records.find("\(target) is answered \(record.answers.count) times") }
        if finished.isComplete != record.isDelivered {
            records.find("\(target) is said to be \(finished.isComplete ? "complete" : "cut"), and is not")
        }
        if finished.status != record.answers.first, finished.status != 413 {
            records.find("\(target) is said to be answered by \(finished.status ?? 0)")
        }
        if finished.isComplete, finished.sentBytes != record.taken {
            records.find("\(target) is said to have sent \(finished.sentBytes) bytes, not \(record.taken)")
        }
        checkDeparture(target, record)
    }

    /// Whoever works for a client that has left hears of it, and soon.
    private func checkDeparture(_ target: String, _ record: RequestRecords.Record) {
        guard let departure = record.client.departure, let end = record.ends.first else { return }
        let patience = Duration.milliseconds(100)
        if let workEnd = record.workEnd, workEnd - departure > patience {
            records.find("somebody works on \(target) for a client that has left")
        }
        // The library may not have seen it, and waits for its own time.
        if record.plan.isStuckInBody, record.plan.hidesDeparture { return }
        if end - departure > patience { records.find("\(target) goes on for a client that has left") }
        sometimes("a client has left before its answer")
    }
}
