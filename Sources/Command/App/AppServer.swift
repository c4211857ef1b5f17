public import CalotypeCore
import CalotypeHTTP
public import CalotypeHTTPListener
import CalotypeServer
import TaskFlow

/// Serves the web app's pages and API, and passes other requests to a thumbnail server.
///
/// Create one with ``withAppServer(_:on:recordingTo:_:)``.
public final class AppServer: HTTPResponding {
    private let pages: AppPages
    let api: API
    private let entrance: AppGuard
    private let thumbnails: ThumbnailServer
    private let timeline: Timeline
    private let draining: Latch<Void>

    init(
        pages: AppPages,
        api: API,
        entrance: AppGuard,
        thumbnails: ThumbnailServer,
        timeline: Timeline,
        draining: Latch<Void>
    ) {
        self.pages = pages
        self.api = api
        self.entrance = entrance
        self.thumbnails = thumbnails
        self.timeline = timeline
        self.draining = draining
    }

    /// Returns pages and API responses, and passes all other requests to the thumbnail server.
    public func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        switch AppRoute(request.target) {
        case .page(let path): .now(pages.response(to: request, at: path))
        case .redirect: .now(pages.redirect(request))
        case .icon: .now(pages.icon(request))
        case .api: .task(noting({ await self.apiResponse(to: request) }, request))
        case nil: thumbnail(request)
        }
    }

    private func thumbnail(_ request: IncomingRequest) -> FirstAnswer {
        let answer = thumbnails.firstAnswer(to: request)
        switch answer {
        case .now(let response):
            note(response)
            return answer
        case .later(let plan): return .later(noting(plan, request))
        case .task(let plan): return .task(noting(plan, request))
        }
    }

    private func noting(
        _ plan: @escaping FirstAnswer.Plan,
        _ request: IncomingRequest
    ) -> FirstAnswer.Plan {
        let start = timeline.now
        return {
            await RequestingPage.$current.withValue(RequestingPage.name(of: request)) {
                let response = await plan()
                self.note(response, since: start)
                return response
            }
        }
    }

    /// Records a cache hit of the thumbnail server that needed no load.
    private func note(_ response: OutgoingResponse, since start: Duration? = nil) {
        guard let origin = ThumbnailServer.cacheWithoutLoad(response) else { return }
        timeline.noteUnloaded(origin, since: start) { ThumbnailServer.sourceName(response) }
    }

    /// Returns the response, after waiting for it if necessary.
    public func response(to request: IncomingRequest) async -> OutgoingResponse {
        await firstAnswer(to: request).response()
    }

    private func apiResponse(to request: IncomingRequest) async -> OutgoingResponse {
        do throws(APIError) {
            try entrance.checkSite(request)
            return await api.response(to: request, isOpen: try entrance.isOpen(to: request))
        } catch {
            return error.response
        }
    }

    /// Returns a higher limit for uploads of files to be published, if the client may use the API.
    public func bodyLimit(for request: IncomingRequest) -> ByteCount? {
        guard AppRoute(request.target) == .api else { return thumbnails.bodyLimit(for: request) }
        guard let limit = api.bodyLimit(for: request) else { return nil }
        // Other clients are refused when the request is handled; until then, the usual limit applies.
        return (try? entrance.isOpen(to: request)) == true ? limit : nil
    }

    /// Lets the thumbnail server count and log the exchange.
    public func exchangeEnded(_ exchange: FinishedExchange) {
        thumbnails.exchangeEnded(exchange)
    }

    /// Lets the thumbnail server count the request.
    public func requestRefused(_ request: RefusedRequest) {
        thumbnails.requestRefused(request)
    }

    /// Ends event streams that have no end of their own.
    public func drainBegan() {
        draining.set(())
        thumbnails.drainBegan()
    }
}

/// The part of the app that a request's target addresses.
enum AppRoute: Hashable, Sendable {
    /// A file of the app, as its path below `/app/`.
    case page(String)
    /// A redirect to the first page, with the slash that its links need.
    case redirect
    /// The icon that browsers request automatically.
    case icon
    /// The API.
    case api

    private static let beginnings = ["/app", "/api", "/favicon.ico"]

    /// Creates the route of `target`, the raw target of a request; `nil` if it does not belong to the app.
    init?(_ target: String) {
        // Most targets are thumbnails, whose server must respond immediately.
        guard Self.beginnings.contains(where: { target.utf8.starts(with: $0.utf8) }) else { return nil }
        let path = target.prefix { $0 != "?" && $0 != "#" }
        if path.hasPrefix("/app/") {
            self = .page(String(path.dropFirst("/app/".count)))
        } else if path == "/app" {
            self = .redirect
        } else if path == "/favicon.ico" {
            self = .icon
        } else if path == "/api" || path.hasPrefix("/api/") {
            self = .api
        } else {
            return nil
        }
    }
}
