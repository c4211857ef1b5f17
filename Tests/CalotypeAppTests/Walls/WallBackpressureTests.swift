import Calotype
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeServer
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeApp

@Suite(.timeLimit(.minutes(1)))
struct WallBackpressureTests {
    @Test func `a client that takes nothing holds the events back, and they stay small`() async throws {
        let count = 2000
        let pieces = Recorder<Int>()
        let mayGoOn = Event()
        try await withThumbnailResponder(ServerConfiguration()) { thumbnails in
            let urls = (0..<count).map { "nowhere://\($0)/" + String(repeating: "a", count: 1000) }
            let wall = WallRun(
                Wall(
                    id: "a",
                    contents: WallContents(urls: urls),
                    side: 32,
                    output: ImageOutput(),
                    headers: HTTPHeaders(),
                    services: AppServices(AppConfiguration(), thumbnails)
                )
            )
            let events = WallEvents(run: wall, clock: ContinuousClock())
            let response = EventStream.response(clock: ManualClock()) { try await events.send(to: $0) }
            guard case .written(_, let write) = response.body else { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await wall.load() }
                group.addTask {
                    try await write(
                        BodyWriter { piece in
                            pieces.record(piece.count)
                            if pieces.count == 2 { try await mayGoOn.wait() }
                        } ifIdle: { _ in
                            true
                        }
                    )
                }
                while wall.figures.failed < count { await Task.yield() }
                #expect(pieces.count <= 2)
                mayGoOn.signal()
                try await group.waitForAll()
            }
            #expect(wall.figures.loading == 0)
        }
        let sizes = pieces.values
        #expect(sizes.count > count / WallEvents.mostEntries)
        #expect(sizes.allSatisfy { $0 < 4 * WallEvents.mostBytes })
    }
}
