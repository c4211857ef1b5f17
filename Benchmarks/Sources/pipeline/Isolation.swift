import Calotype
import CalotypeCodec
import CalotypeOrigin

/// Two tickers, one on the main actor and one on the cooperative pool, while 200 large pictures load.
enum Isolation {
    static let loads = 200
    static let period = Duration.milliseconds(5)

    static func run() async throws {
        let bytes = try await withImageCodec { codec in
            try await codec.encode(Photo.draw(6000, 4000), as: .jpeg(quality: 85))
        }
        print("  each \(bytes.count / 1000) kB, 24 megapixels")
        try await withOrigin(OriginConfiguration(pictures: PicturesInMemory(["large.jpg": bytes]))) {
            origin in
            try await withImagePipeline { pipeline in
                async let onMain = tickOnMain()
                async let onPool = tick()
                let requests = (0..<loads).map {
                    ImageRequest(origin.url("/pictures/large.jpg?\($0)"), .fit(256, 256))
                }
                let start = ContinuousClock.now
                let loaded = try await pipeline.renditions(for: requests).gather(.failFast)
                let took = start.duration(to: .now)
                done.signal()
                precondition(loaded.count == loads)
                print("  \(loads) pictures in \(Figures.milliseconds(took))")
                report("main actor", await onMain)
                report("cooperative pool", await onPool)
            }
        }
    }

    private static let done = Flag()

    private static func report(_ what: String, _ late: [Duration]) {
        let late = late.sorted()
        Figures.line(
            "\(what), late at the median",
            Figures.milliseconds(Figures.percentile(0.5, of: late)),
            goal: "at most 0.5 ms"
        )
        Figures.line(
            "\(what), late at the 99th percentile of \(late.count)",
            Figures.milliseconds(Figures.percentile(0.99, of: late)),
            goal: "at most 20 ms"
        )
    }

    @MainActor
    private static func tickOnMain() async -> [Duration] {
        await lateness()
    }

    @concurrent
    private static func tick() async -> [Duration] {
        await lateness()
    }

    /// How much later than asked each sleep ended; it runs where its caller does.
    private nonisolated(nonsending) static func lateness() async -> [Duration] {
        var late: [Duration] = []
        while !done.isSet {
            let due = ContinuousClock.now + period
            // Never cancelled: the loop ends by the flag.
            try? await Task.sleep(until: due, tolerance: .zero, clock: .continuous)
            late.append(due.duration(to: .now))
        }
        return late
    }
}
