import CalotypeHTTPListener

/// Answers at the address of the metrics: these, and that the server runs.
struct MetricsResponder: HTTPResponding {
    let server: ThumbnailServer

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        .now(server.operatorsResponse(to: request))
    }

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        server.operatorsResponse(to: request)
    }

    func exchangeEnded(_ exchange: FinishedExchange) {
        server.exchangeEnded(exchange)
    }
}
