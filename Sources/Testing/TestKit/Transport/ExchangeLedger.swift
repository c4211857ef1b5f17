import CalotypeCore
import CalotypeHTTP
import TaskFlowTesting

/// Counts a scripted transport's exchanges.
final class ExchangeLedger: Sendable, CustomStringConvertible {
    /// How an exchange ended.
    enum Ending: Sendable {
        case completed, cutOff, failed, cancelled
    }

    private struct State {
        var statistics = ScriptedTransport.Statistics()
        var requests: [HTTPRequest] = []
        /// The bytes taken from the bodies of kept requests, by their numbers.
        var bodies: [Int: [UInt8]] = [:]
        /// The open exchanges, by the number of the request.
        var open: [Int: WebURL] = [:]
    }

    private let keptRequests: Int
    private let state = Watched(State())

    init(keptRequests: Int) {
        self.keptRequests = keptRequests
    }

    var statistics: ScriptedTransport.Statistics { state.current.statistics }

    var requests: [HTTPRequest] { state.current.requests }

    var bodies: [[UInt8]] {
        let state = state.current
        return state.requests.indices.map { state.bodies[$0 + 1] ?? [] }
    }

    var description: String {
        let state = state.current
        let open = state.open.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(state.statistics.requests) requests, open: "
            + (open.isEmpty ? "none" : open.joined(separator: ", "))
    }

    @discardableResult
    func statistics(
        when isMet: @escaping @Sendable (ScriptedTransport.Statistics) -> Bool
    ) async throws -> ScriptedTransport.Statistics {
        try await state.wait { isMet($0.statistics) }.statistics
    }

    /// Counts a request; its number is needed to end it.
    func begin(_ request: HTTPRequest) -> Int {
        state.change { state in
            state.statistics.requests += 1
            state.statistics.open += 1
            state.statistics.mostOpen = max(state.statistics.mostOpen, state.statistics.open)
            if state.requests.count < keptRequests { state.requests.append(request) }
            state.open[state.statistics.requests] = request.url
            return state.statistics.requests
        }
    }

    func count(sent: Int) {
        state.change { $0.statistics.sentBytes.bytes += sent }
    }

    /// Stores what an exchange's origin took of the request's body, if the request is kept.
    func keep(_ body: [UInt8], of number: Int) {
        guard !body.isEmpty else { return }
        state.change { if number <= $0.requests.count { $0.bodies[number] = body } }
    }

    func count(bytes: Int) {
        state.change { $0.statistics.bytes.bytes += bytes }
    }

    func end(_ number: Int, _ ending: Ending) {
        state.change { state in
            state.open[number] = nil
            state.statistics.open -= 1
            switch ending {
            case .completed: state.statistics.completed += 1
            case .cutOff: state.statistics.cutOff += 1
            case .failed: state.statistics.failed += 1
            case .cancelled: state.statistics.cancelled += 1
            }
        }
    }
}
