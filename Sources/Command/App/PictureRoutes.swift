import CalotypeHTTPListener
import CalotypeServer
import FoundationEssentials
import TaskFlow

/// Pictures whose paths nobody may see, since a password is in them.
struct PictureRoutes: Sendable {
    let services: AppServices

    var routes: [APIRoute] {
        [APIRoute("GET", "/pictures/{name}") { try await picture($0) }]
    }

    private func picture(_ call: APICall) async throws -> OutgoingResponse {
        guard let path = call.parameters["name"].flatMap({ services.hiddenPaths.path(named: $0) }) else {
            throw APIError(404, "not_found", "there is no such picture any more")
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

/// Paths of thumbnails that nobody may see, because a password is in them, and the names under which pages ask for the pictures.
///
/// A name says nothing of what it stands for, and is good until the server ends or many others have come.
final class HiddenPaths: Sendable {
    private struct State {
        var names: [String: String] = [:]
        /// Paths by their names, and the names in the order in which they were given.
        var paths: [String: String] = [:]
        var order = FIFO<String>()
        var bytes = 0
    }

    private let mostPaths: Int
    private let mostBytes: Int
    private let state = Guarded(State())

    /// Creates a list that forgets the oldest paths when there are more than `mostPaths`, or more than `mostBytes` of them.
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

    /// The path called `name`; `nil` where it is forgotten.
    func path(named name: some StringProtocol) -> String? {
        state.withLock { $0.paths[String(name)] }
    }

    /// Forgets the path that was named first, unless it is the only one.
    private func forgetOldest(_ state: inout State) -> Bool {
        guard state.paths.count > 1, let name = state.order.popFirst(),
            let path = state.paths.removeValue(forKey: name)
        else { return false }
        state.names[path] = nil
        state.bytes -= path.utf8.count
        return true
    }
}
