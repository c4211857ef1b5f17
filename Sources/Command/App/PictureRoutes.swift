import CalotypeHTTPListener
import CalotypeServer
import FoundationEssentials
import TaskFlow

/// The route for pictures whose paths must stay hidden, because they contain a password.
struct PictureRoutes: Sendable {
    let services: AppServices

    var routes: [APIRoute] {
        [APIRoute("GET", "/pictures/{name}") { try await picture($0) }]
    }

    private func picture(_ call: APICall) async throws -> OutgoingResponse {
        guard let path = call.parameters["name"].flatMap({ services.hiddenPaths.path(named: $0) }) else {
            throw APIError(404, "not_found", "this image is no longer available")
        }
        let request = IncomingRequest(
            method: call.request.method,
            target: path,
            headers: call.request.headers,
            client: call.request.client,
            arrival: call.request.arrival,
            takesChunks: call.request.takesChunks,
            body: .empty
        )
        return await services.thumbnails.response(to: request)
    }
}

/// The thumbnail paths that must stay hidden, because they contain a password, and their public names.
///
/// A name reveals nothing about its path. It is valid until the server ends or many other paths have been
/// added.
final class HiddenPaths: Sendable {
    private struct State {
        var names: [String: String] = [:]
        /// The paths by name, and the names in the order in which they were added.
        var paths: [String: String] = [:]
        var order = FIFO<String>()
        var bytes = 0
    }

    private let mostPaths: Int
    private let mostBytes: Int
    private let state = Guarded(State())

    /// Creates a list that removes the oldest paths when it is full.
    ///
    /// It is full if there are more than `mostPaths`, or more than `mostBytes` of them.
    init(mostPaths: Int = 40_000, mostBytes: Int = 16 << 20) {
        self.mostPaths = mostPaths
        self.mostBytes = mostBytes
    }

    /// Returns the name of `path`, which stays the same while the list remembers it.
    func name(of path: String) -> String {
        state.withLock { state in
            if let name = state.names[path] { return name }
            let name = UUID().uuidString.lowercased()
            state.names[path] = name
            state.paths[name] = path
            state.order.append(name)
            state.bytes += path.utf8.count
            while state.paths.count > mostPaths || state.bytes > mostBytes, forgetOldest(&state) {}
            return name
        }
    }

    /// Returns the path called `name`; `nil` if it was removed.
    func path(named name: some StringProtocol) -> String? {
        state.withLock { $0.paths[String(name)] }
    }

    /// Removes the oldest path, unless it is the only one.
    private func forgetOldest(_ state: inout State) -> Bool {
        guard state.paths.count > 1, let name = state.order.popFirst(),
            let path = state.paths.removeValue(forKey: name)
        else { return false }
        state.names[path] = nil
        state.bytes -= path.utf8.count
        return true
    }
}
