public import Calotype

extension QuietCheck {
    /// Watches a pipeline: its tasks, flights, registry entries and permits are to come down to zero.
    ///
    /// One that is gone holds nothing.
    public func watch(_ pipeline: ImagePipeline, as name: String = "pipeline") {
        watch { [weak pipeline] in pipeline.map { Self.leftovers($0.snapshot, name) } ?? [] }
    }

    /// Watches a transport: its exchanges are to come to an end.
    public func watch(_ transport: ScriptedTransport, as name: String = "transport") {
        watch { transport.statistics.open == 0 ? [] : ["\(name): \(transport)"] }
    }

    /// Returns as soon as `pipeline` is quiet, while it can still be used; see ``expectQuiet()``.
    ///
    /// - Throws: ``NotQuiet``.
    public static func expectQuiet(_ pipeline: ImagePipeline, patience: Duration = .seconds(2)) async throws {
        var options = Options()
        options.descriptors = false
        options.patience = patience
        let check = await begin(options)
        check.watch(pipeline)
        try await check.expectQuiet()
    }

    /// The counts that are not those of a quiet pipeline, whatever counts a snapshot has.
    private static func leftovers(_ snapshot: PipelineSnapshot, _ name: String) -> [String] {
        guard !snapshot.isQuiet else { return [] }
        let quiet = Mirror(reflecting: PipelineSnapshot()).children
        let counts = zip(Mirror(reflecting: snapshot).children, quiet).compactMap { child, zero in
            "\(child.value)" == "\(zero.value)" ? nil : "\(child.label ?? "?") \(child.value)"
        }
        return ["\(name): " + counts.joined(separator: ", ")]
    }
}
