import Calotype
import CalotypeOrigin
import ExampleKit

/// Loads an album to show a random photo, and compares six ways to load all its photos.
@main
struct RandomPhoto {
    static func main() async {
        await Example.run {
            try await withSampleOrigin(faults: "latency=100ms") { origin in
                try await showRandomPhotos(of: origin.photosURL(album: 1, broken: 10))
                let (photos, broken) = try await withImagePipeline { pipeline in
                    (
                        try await pipeline.json([Photo].self, at: origin.photosURL(album: 1, broken: 10)),
                        try await pipeline.json([Photo].self, at: origin.photosURL(album: 2, broken: 50))
                    )
                }
                let urls = photos.prefix(16).map(\.url)
                let silent = origin.url("/hang")
                try await compare("16 photos, 3 broken, and 1 silent", urls + [silent], "13 photos")
                try await compare("8 photos, all broken", broken.prefix(8).map(\.url), "empty_result")
                try await compare("16 photos, cancelled immediately", urls, "cancelled", .atOnce)
                try await compare("16 photos, cancelled halfway", urls, "cancelled", .halfway)
            }
        }
    }

    /// The first photo takes as long as one load, and the others no time, while the pool fills.
    private static func showRandomPhotos(of album: String) async throws {
        try await withImagePipeline { pipeline in
            let pool = ImagePool(pipeline.renditionLoader) {
                try await pipeline.json([Photo].self, at: album).map { ImageRequest($0.url, .fit(160, 120)) }
            }
            for request in 1...5 {
                let start = ContinuousClock.now
                let photo = try await pool.randomPicture()
                let time = (ContinuousClock.now - start).milliseconds
                print(
                    "  request \(request): a photo of \(photo.size) after \(time); the pool has \(pool.count)"
                )
                if request > 3 { try await Task.sleep(for: .milliseconds(200)) }
            }
            while pool.isFilling { try await Task.sleep(for: .milliseconds(20)) }
            try Example.expect(pool.count == 40, "50 photos but the 10 broken ones, not \(pool.count)")
            print("  filled: the pool has \(pool.count), without the broken ones\n")
        }
    }

    private static func compare(
        _ title: String,
        _ urls: [String],
        _ expected: String,
        _ cancellation: Trial.Cancellation = .never
    ) async throws {
        var table = Table(title, "outcome", "time", "started", "loaded", "left running")
        for way in Way.all {
            let trial = try await Trial.of(way, urls, cancellation)
            table.add(
                way.name,
                trial.outcome,
                trial.time.milliseconds,
                "\(trial.started)",
                "\(trial.loaded)",
                "\(trial.leftRunning)"
            )
            let isDeaf = cancellation != .never && !way.hearsCancellation
            let isRight = trial.outcome == (isDeaf ? "13 photos" : expected) && trial.leftBehind == 0
            try Example.expect(isRight, "\(title), \(way.name): \(trial)")
        }
        table.print()
        print(
            cancellation == .never
                ? "" : "  time: from the cancellation; left running: 50 ms after it, or at the return\n"
        )
    }
}
