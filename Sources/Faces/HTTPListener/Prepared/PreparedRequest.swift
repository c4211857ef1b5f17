import CalotypeCMicroHTTPD
import CalotypeFiles

/// The request on a connection that may get a prepared response, from the request line on.
///
/// It takes the place of an ``Exchange``. A request that turns out to be a special one gets an exchange after
/// all.
// SAFETY: only the connection's thread uses it, in the library's calls for the connection.
final class PreparedRequest: @unchecked Sendable {
    /// The result of a call of the library.
    enum Outcome {
        case proceed
        case close
        /// The request needs an exchange.
        case special(RawTarget)
    }

    private enum State {
        case none
        /// A response is stored for the target, which is at this address.
        case offered(PreparedResponse, UInt)
        /// The head asks for nothing else; the library's next call gets the response.
        case begun(PreparedResponse, id: UInt64, ContinuousClock.Instant)
        /// The library sends the response.
        case sending(PreparedResponse, id: UInt64, ContinuousClock.Instant, SentResponse)
    }

    private var state = State.none

    /// Records that a response is stored for a target at `address`.
    func offer(_ response: PreparedResponse, at address: UInt) {
        state = .offered(response, address)
    }

    /// Handles a call of the library.
    func handle(_ call: HandlerCall, _ client: ClientConnection, _ core: ListenerCore) -> Outcome {
        switch state {
        case .offered(let response, let address): return begin(response, address, call, client, core)
        case .begun(let response, let id, let arrival):
            guard unsafe call.piece.isEmpty, let sent = response.take(id) else { return .close }
            state = .sending(response, id: id, arrival, sent)
            unsafe sent.send(on: call.connection)
            return .proceed
        case .none, .sending: return .close
        }
    }

    /// Records that the library has finished with the request.
    func ended(isComplete: Bool, _ client: ClientConnection) {
        client.requestEnded()
        let ended = state
        state = .none
        switch ended {
        case .none, .offered: break
        case .begun(let response, let id, let arrival): tell(response, id, arrival, false, client)
        case .sending(let response, let id, let arrival, let sent):
            response.giveBack(sent)
            tell(response, id, arrival, isComplete, client)
        }
    }

    private func begin(
        _ response: PreparedResponse,
        _ address: UInt,
        _ call: HandlerCall,
        _ client: ClientConnection,
        _ core: ListenerCore
    ) -> Outcome {
        let target = RawTarget(response.target, at: address)
        // While the listener drains, each response ends its connection.
        guard !core.isDraining, let head = core.rules.plainHead(call, target),
            let id = response.content.begin()
        else {
            state = .none
            return .special(target)
        }
        state = .begun(response, id: id, .now)
        return client.preparedBegan(head) ? .proceed : .close
    }

    private func tell(
        _ response: PreparedResponse,
        _ id: UInt64,
        _ arrival: ContinuousClock.Instant,
        _ isComplete: Bool,
        _ client: ClientConnection
    ) {
        response.content.ended(
            PreparedUse(
                id: id,
                client: client.address.text,
                arrival: arrival,
                sentBytes: isComplete ? response.bodyBytes : 0,
                isComplete: isComplete
            )
        )
    }
}
