import CalotypeHTTPListener
import TaskFlow

/// The timeline, as a stream of events.
struct TimelineRoutes: Sendable {
    /// The shortest time between two events.
    static let pace = Duration.milliseconds(250)

    let services: AppServices
    let timeline: Timeline

    var routes: [APIRoute] {
        [
            APIRoute("GET", "/timeline") { _ in
                EventStream.response(clock: services.configuration.clock, until: services.draining) {
                    stream in
                    try await feed(stream)
                }
            }
        ]
    }

    private func feed(_ stream: EventStream) async throws {
        var changes = timeline.changes(since: 0)
        var gates = GateLevels(services.thumbnails)
        try await stream.send("state", TimelineDocument(changes, gates))
        while true {
            try await services.configuration.clock.sleep(for: Self.pace)
            let levels = GateLevels(services.thumbnails)
            guard levels != gates || timeline.revision != changes.revision else { continue }
            gates = levels
            changes = timeline.changes(since: changes.revision)
            try await stream.send("change", TimelineDocument(changes, gates))
        }
    }
}
