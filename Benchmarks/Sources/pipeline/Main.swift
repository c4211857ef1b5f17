/// Measures the pipeline itself: what it adds to the work that it arranges.
@main
enum Main {
    static let parts: [(name: String, purpose: String, run: @Sendable () async throws -> Void)] = [
        ("hit", "a rendition that the memory cache has", MemoryHit.run),
        ("crowd", "10,000 simultaneous loads of one URL beside a single load", Crowd.run),
        ("flood", "cheap requests a second, and memory after 100,000 and 1,000,000", Flood.run),
        ("priority", "when a load that is raised while it waits gets its turn", Raise.run),
        ("isolation", "how late timers are while large pictures load", Isolation.run),
        ("decode", "from the cancel of a decode until it has stopped", DecodeCancel.run),
        ("waiting", "the memory of 10,000 loads that wait for a connection", Waiting.run),
    ]

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let known = parts.map(\.name)
        guard arguments.allSatisfy(known.contains) else {
            print("usage: script/bench pipeline [PART...]")
            for part in parts { print("  \(part.name): \(part.purpose)") }
            return
        }
        for part in parts where arguments.isEmpty || arguments.contains(part.name) {
            print("\(part.name): \(part.purpose)")
            try await part.run()
        }
    }
}
