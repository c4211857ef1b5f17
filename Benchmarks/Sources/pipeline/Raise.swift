import Calotype
import CalotypeTestKit

/// A load that waits behind a thousand others and is raised.
enum Raise {
    static func run() async throws {
        let picture = ScriptedResponse.bytes(TinyPicture.png())
        let transport = ScriptedTransport(otherwise: picture)
        let gate = Event()
        try transport.answer("http://pictures.example/first.png", with: picture.after(.until(gate)))
        var configuration = PipelineConfiguration()
        configuration.exchange = transport
        configuration.connections = 1
        configuration.connectionsPerHost = 2000
        try await withImagePipeline(configuration) { pipeline in
            let names = ["first"] + (0..<1000).map { "\($0)" } + ["raised"]
            let load = { (name: String) in
                pipeline.task(
                    for: ImageRequest("http://pictures.example/\(name).png", .none, .original, priority: .low)
                )
            }
            var tasks = [load(names[0])]
            try await transport.statistics { $0.open == 1 }
            tasks += names.dropFirst().map(load)
            while pipeline.snapshot.connections < names.count { await Task.yield() }
            tasks[names.count - 1].priority = .high
            gate.signal()
            for task in tasks { _ = try await task.value }
            let place = transport.requests.firstIndex { $0.url.text.hasSuffix("raised.png") } ?? -1
            Figures.line(
                "a raised load is sent as number",
                "\(place + 1) of \(names.count)",
                goal: "2, the next free slot"
            )
        }
    }
}
