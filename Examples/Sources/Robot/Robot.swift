import Calotype
import CalotypeOrigin
import ExampleKit

/// Loads robots into a label in three ways, and shows how much they delay a ticker on the main actor.
@main
struct Robot {
    static func main() async {
        await Example.run {
            try await withSampleOrigin(faults: "latency=50ms") { origin in
                var table = Table("typical / latest tick", "waiting for the network", "working on the pixels")
                for (index, way) in Way.all.enumerated() {
                    let (network, pixels) = try await lateness(of: way, origin, prints: index == 0)
                    table.add(way.name, network, pixels)
                }
                table.print()
            }
        }
    }

    @MainActor
    private static func lateness(of way: Way, _ origin: Origin, prints: Bool) async throws -> (String, String)
    {
        let log = LoadLog()
        let ticker = Ticker()
        var configuration = PipelineConfiguration()
        configuration.executor = way.executor
        configuration.observer = { log.record($0) }
        try await withImagePipeline(configuration) { pipeline in
            async let _: Void = ticker.run()
            for text in ["ada", "bob", "eve"] {
                let label = PictureLabel(placeholder: "a robot for \(text)")
                let before = label.lines
                // Large, so that there is something to compute.
                let request = ImageRequest(origin.robotURL(text), .fit(1500, 1500, enlarges: true))
                try await way.load(request, pipeline, label)
                try Example.expect(label.picture?.size.width == 1500, "a large robot in the label")
                if prints { print((before + label.lines).joined(separator: "\n")) }
            }
        }
        return (ticker.lateness(during: log.network), ticker.lateness(during: log.pixels))
    }
}
