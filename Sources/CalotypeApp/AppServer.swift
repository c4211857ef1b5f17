import CalotypeHTTP
import CalotypeServer
public import HTTPListener
import TaskFlow

/// Answers requests for the app's pages and its API; all else is for thumbnails. Get one from ``withApp(_:_:_:)``.
public final class AppServer: HTTPResponding {
    private let pages: AppPages
    private let api: API
    private let thumbnails: ThumbnailServer
    private let draining: Latch<Void>

    init(pages: AppPages, api: API, thumbnails: ThumbnailServer, draining: Latch<Void>) {
        self.pages = pages
        self.api = api
        self.thumbnails = thumbnails
        self.draining = draining
    }

    /// Pages, and what the thumbnails have at once.
    public func immediateResponse(to request: IncomingRequest) -> OutgoingResponse? {
        switch AppRoute(request.target) {
        case .page(let path): pages.response(to: request, at: path)
        case .api: nil
        case nil: thumbnails.immediateResponse(to: request)
        }
    }

    /// Answers of the API, and thumbnails.
    public func response(to request: IncomingRequest) async -> OutgoingResponse {
        guard AppRoute(request.target) == .api else { return await thumbnails.response(to: request) }
        return await api.response(to: request)
    }

    /// Lets the thumbnails count and log it.
    public func exchangeEnded(_ exchange: FinishedExchange) {
        thumbnails.exchangeEnded(exchange)
    }

    /// Lets the thumbnails count it.
    public func requestRefused(_ request: RefusedRequest) {
        thumbnails.requestRefused(request)
    }

    /// Ends the streams of events that have no end of their own.
    public func drainBegan() {
        draining.set(())
        thumbnails.drainBegan()
    }
}
