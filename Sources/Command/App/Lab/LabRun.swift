import Calotype
import CalotypeCore
import CalotypeOrigin
import TaskFlow

/// One comparison: every way loads the same images with the engine, each from an origin of its own.
///
/// A run owns its pipeline and its origins. When ``report(to:)`` returns, nothing of it is left; if the page is
/// closed, that includes loads that a way does not cancel.
final class LabRun: Sendable {
    /// The maximum time of a run; then its ways are cancelled.
    private static let longest = Duration.seconds(60)
    /// The maximum time of one load, so that loads that nobody cancels end too.
    private static let patience = Duration.seconds(20)
    /// The time between two reports.
    private static let pace = Duration.milliseconds(50)

    let id: String
    let settings: LabSettings
    private let pictures: PicturesInMemory
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Duration
    private let fault: Guarded<LabFault?>
    private let cancelled = Latch<Void>()
    private let closed = Latch<Void>()

    /// - Parameters:
    ///   - id: The run's name in paths.
    ///   - settings: The checked settings.
    ///   - pictures: The images, called `0.jpg` and so on.
    ///   - clock: Paces the reports.
    ///   - now: Returns the time since the server's start.
    init(
        id: String,
        _ settings: LabSettings,
        _ pictures: PicturesInMemory,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Duration
    ) {
        self.id = id
        self.settings = settings
        fault = Guarded(settings.fault)
        self.pictures = pictures
        self.clock = clock
        self.now = now
    }

    /// Whether the page is closed, so that no load may start.
    var isClosed: Bool { closed.value != nil }

    /// Cancels the ways; loads that a way does not cancel continue.
    func cancel() {
        cancelled.set(())
    }

    /// Sets the fault of the loads that start from now on; `nil` for none.
    func set(_ fault: LabFault?) {
        self.fault.withLock { $0 = fault }
    }

    /// Returns the URL of an image with the current fault.
    func url(of image: Int, at port: Int) -> String {
        LabFault.url(of: image, at: port, fault.withLock(\.self), settings)
    }

    /// Runs `body`, and cancels it if the page is closed.
    func whileOpen(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await Self.run(body) { try await self.closed.wait() }
    }

    /// Runs all ways at the same time and reports their progress, until the last of their loads has ended.
    func report(to events: EventStream) async throws {
        var configuration = PipelineConfiguration()
        configuration.connections = LabWay.allCases.count * LabAlbum.count
        configuration.timeout = Self.patience
        try await events.send("lab", LabBeginning(id: id))
        try await withTaskCancellationHandler {
            try await withImagePipeline(configuration) { pipeline in
                try await withOrigins { origins in
                    try await compare(origins.map { LabAlbum(self, pipeline, $0) }, events)
                }
            }
        } onCancel: {
            closed.set(())
        }
        try await events.send("end", LabEnding())
    }

    private func compare(_ albums: [LabAlbum], _ events: EventStream) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (way, album) in zip(LabWay.allCases, albums) {
                group.addTask(name: "lab \(way)") { try await self.run(way, album) }
            }
            group.addTask(name: "lab report") { try await self.tell(albums, events) }
            try await group.waitForAll()
        }
    }

    /// Sends the state of all ways when it has changed, until all have ended.
    private func tell(_ albums: [LabAlbum], _ events: EventStream) async throws {
        let start = now()
        var told: [LabAlbum.Record] = []
        while true {
            let records = albums.map(\.record)
            if records != told { try await events.send("ways", LabProgress(records, at: now())) }
            told = records
            guard records.contains(where: { $0.end == nil }) else { return }
            if now() - start > Self.longest { cancel() }
            try await clock.sleep(for: Self.pace)
        }
    }

    /// Runs one way until it has ended; a cancellation by the user is an end, too.
    private func run(_ way: LabWay, _ album: LabAlbum) async throws {
        album.began(at: now())
        try await withTaskCancellationHandler {
            do {
                try await Self.run({ try await album.load(way) }) {
                    try await self.cancelled.wait()
                    album.wasCancelled(at: self.now())
                }
            } catch is CancellationError {
                try Task.checkCancellation()
            }
        } onCancel: {
            album.close()
        }
        album.ended(at: now())
    }

    /// Runs `body`, and cancels it when `end` returns; returns when both have ended.
    private static func run(
        _ body: @escaping @Sendable () async throws -> Void,
        until end: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await end()
                throw CancellationError()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Runs `body` with an origin for each way.
    private func withOrigins(
        _ origins: [Origin] = [],
        _ body: ([Origin]) async throws -> Void
    ) async throws {
        guard origins.count < LabWay.allCases.count else { return try await body(origins) }
        try await withOrigin(OriginConfiguration(pictures: pictures)) { origin in
            try await withOrigins(origins + [origin], body)
        }
    }
}

extension LabAlbum {
    /// Loads the images in one of the ways.
    fileprivate func load(_ way: LabWay) async throws {
        switch way {
        case .oneByOne: try await loadOneByOne()
        case .pairs: try await loadInPairs()
        case .boundedGroup: try await loadInBoundedGroup()
        case .group: try await loadInGroup()
        case .tasks: try await loadInTasks()
        case .callbacks: try await loadWithCallbacks()
        }
    }
}
