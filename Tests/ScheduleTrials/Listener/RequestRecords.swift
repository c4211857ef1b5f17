import CalotypeHTTPListener
import TaskFlow
import TaskFlowTesting

/// What became of each request, by its target.
final class RequestRecords: Sendable {
    struct Record: Sendable {
        let plan: RequestPlan
        let client: TrialClient
        /// When the responder was asked about it.
        var began: ContinuousClock.Instant?
        var runningTasks = 0
        /// When the responder had ended.
        var workEnd: ContinuousClock.Instant?
        /// What the client sent of the body, and what the responder read.
        var bodyBytes = 0
        var readBytes = 0
        var isBodyWhole = false
        /// The status of each answer that came to the library.
        var answers: [Int] = []
        /// Whether the answer says that it is the last.
        var isLast = false
        var mustBeLast = false
        var written = 0
        var taken = 0
        var isDelivered = false
        /// When each end was told.
        var ends: [ContinuousClock.Instant] = []
        var finished: FinishedExchange?
    }

    private let state = Guarded<(records: [String: Record], findings: [String])>(([:], []))

    var all: [(target: String, record: Record)] {
        state.withLock { $0.records.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    var findings: [String] { state.withLock(\.findings) }

    func add(_ target: String, _ plan: RequestPlan, _ client: TrialClient) {
        state.withLock { $0.records[target] = Record(plan: plan, client: client) }
    }

    subscript(target: String) -> Record? { state.withLock { $0.records[target] } }

    func change(_ target: String, _ body: (inout Record) -> Void) {
        state.withLock { state in
            guard var record = state.records[target] else { return }
            body(&record)
            state.records[target] = record
        }
    }

    func find(_ text: String) {
        scheduleNote("wrong: \(text)")
        state.withLock { $0.findings.append(text) }
    }
}
