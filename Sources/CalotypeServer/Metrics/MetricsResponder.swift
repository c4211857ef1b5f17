import HTTPListener

/// Answers at the address of the metrics: these, and that the server runs.
struct MetricsResponder: HTTPResponding {
    let server: ThumbnailServer

    func immediateResponse(to request: IncomingRequest) -> OutgoingResponse? {
        server.operatorsResponse(to: request)
    }

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        server.operatorsResponse(to: request)
    }

    func exchangeEnded(_ exchange: FinishedExchange) {
        server.exchangeEnded(exchange)
    }
}
