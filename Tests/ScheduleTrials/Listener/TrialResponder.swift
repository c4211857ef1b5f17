import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import TaskFlow
import TaskFlowTesting

/// Answers requests as their plans say, and takes down what it is told.
struct TrialResponder: HTTPResponding {
    let records: RequestRecords
    /// Which client leaves at which moment.
    let departures: Guarded<[String: @Sendable () -> Void]>
    /// Whether no answer may leave its connection open.
    let isDraining = Guarded(false)

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        scheduleNote("the responder is asked for the first answer to \(request.target)")
        records.change(request.target) { $0.began = .now }
        depart("first \(request.target)")
        guard let plan = records[request.target]?.plan else { return .now(OutgoingResponse(500)) }
        let work: FirstAnswer.Plan = {
            depart("plan \(request.target)")
            return await response(to: request)
        }
        return switch plan.answering {
        case .immediate: .now(answer(to: request.target, plan))
        case .task, .never: .task(work)
        case .later: .later(work)
        }
    }

    private func depart(_ moment: String) {
        departures.withLock { $0[moment] }?()
    }

    func bodyLimit(for request: IncomingRequest) -> ByteCount? {
        records[request.target].map { ByteCount($0.plan.bodyLimit) }
    }

    // MARK: In a task

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        records.change(request.target) { $0.runningTasks += 1 }
        defer {
            records.change(request.target) { record in
                record.runningTasks -= 1
                record.workEnd = .now
            }
        }
        guard let plan = records[request.target]?.plan else { return OutgoingResponse(500) }
        do {
            if plan.readsBody { try await read(request) }
            switch plan.answering {
            case .task(let time), .later(let time):
                if time > 0 { try await Task.sleep(nanoseconds: 10_000_000 * UInt64(time)) }
            case .never: try await Task.sleep(for: .seconds(100_000))
            case .immediate: break
            }
        } catch is CancellationError {
            sometimes("the task of a request is cancelled")
            return OutgoingResponse(499)
        } catch {
            return OutgoingResponse(400)
        }
        return answer(to: request.target, plan)
    }

    private func read(_ request: IncomingRequest) async throws {
        var next: UInt8 = 0
        for try await piece in request.body {
            if piece.contains(where: { $0 != next }) { records.find("a piece of a body is out of order") }
            next += 1
            records.change(request.target) { $0.readBytes += piece.count }
        }
        guard let record = records[request.target], request.method == "POST" else { return }
        if !record.isBodyWhole || record.readBytes != record.bodyBytes {
            records.find("a body ended for its reader before its end")
        }
    }

    func drainBegan() {
        isDraining.withLock { $0 = true }
    }

    private func answer(to target: String, _ plan: RequestPlan) -> OutgoingResponse {
        if isDraining.withLock(\.self) { records.change(target) { $0.mustBeLast = true } }
        switch plan.content {
        case .bytes: return OutgoingResponse(200, HTTPHeaders(), .bytes([1, 2, 3]))
        case .stream(let pieces, let bytes, let pause, let knowsLength):
            return OutgoingResponse(
                200,
                HTTPHeaders(),
                .written(length: knowsLength ? pieces * bytes : nil) { writer in
                    for _ in 0..<pieces {
                        if pause > 0 { try await Task.sleep(nanoseconds: 10_000_000 * UInt64(pause)) }
                        try await write(bytes, to: writer, target)
                    }
                }
            )
        case .brokenStream:
            return OutgoingResponse(
                200,
                HTTPHeaders(),
                .written(length: 10) { writer in
                    try await write(1, to: writer, target)
                    throw ScheduleError("a stream that fails on purpose")
                }
            )
        }
    }

    private func write(_ count: Int, to writer: BodyWriter, _ target: String) async throws {
        try await writer.write(Array(repeating: 1, count: count))
        records.change(target) { $0.written += count }
        guard let record = records[target] else { return }
        if record.written - record.taken > 128 << 10 + count {
            records.find("more is written than may wait for its client")
        }
    }

    func exchangeEnded(_ exchange: FinishedExchange) {
        records.change(exchange.request.target) { record in
            record.ends.append(.now)
            record.finished = exchange
        }
        if let record = records[exchange.request.target], record.runningTasks > 0 {
            records.find("the end of \(exchange.request.target) is told before its task has ended")
        }
    }
}
