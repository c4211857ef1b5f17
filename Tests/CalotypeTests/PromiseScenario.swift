import Calotype
import CalotypeTestKit
import Testing

/// A way in which the pipeline is used, to be cancelled at every step; others use it at the same time.
struct PromiseScenario: Sendable, CustomTestStringConvertible {
    /// What a scenario works with.
    struct PromiseFixture: Sendable {
        let context: SweepContext
        let transport: ScriptedTransport
        let pipeline: ImagePipeline
        /// Whether all loads have begun before the first can end, as they do when the oldest job is always next.
        let beginsTogether: Bool
    }

    let name: String
    /// Sets up what is not as by default.
    var prepare: @Sendable (inout PipelineConfiguration, ScriptedTransport) throws -> Void = { _, _ in }
    let perform: @Sendable (PromiseFixture) async throws -> Void

    var testDescription: String { name }

    /// Every request is answered with this, in four pieces with pauses between them.
    static let source = TinyPicture.jpeg(PixelSize(width: 48, height: 32))
    static let answer = ScriptedResponse.bytes(source)
        .inPieces(of: ByteCount(source.count / 4 + 1), every: .milliseconds(3))
        .after(.pause(.milliseconds(20)))

    /// Runs the scenario in a pipeline of its own; nothing may be left, neither while the pipeline lives nor at its end.
    func run(in context: SweepContext, beginsTogether: Bool) async throws {
        let transport = ScriptedTransport(clock: context.clock, otherwise: Self.answer)
        var configuration = PipelineConfiguration()
        configuration.exchange = transport
        configuration.clock = context.clock
        configuration.executor = context.executor
        try prepare(&configuration, transport)
        context.describe("transport") { "\(transport)" }
        let quiet = await QuietCheck.begin(Self.watchedOnly)
        quiet.watch(transport)
        let result: Result<Void, any Error>
        do {
            try await withImagePipeline(configuration) { pipeline in
                quiet.watch(pipeline)
                context.describe("pipeline") { "\(pipeline.snapshot)" }
                try await perform(
                    PromiseFixture(
                        context: context,
                        transport: transport,
                        pipeline: pipeline,
                        beginsTogether: beginsTogether
                    )
                )
                await context.settle()
                try await quiet.expectQuiet()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await quiet.expectQuiet()
        try result.get()
    }

    /// What the pipeline and the transport hold counts, at once; descriptors are looked at from outside.
    private static let watchedOnly = {
        var options = QuietCheck.Options()
        options.descriptors = false
        options.patience = .zero
        return options
    }()
}

extension PromiseScenario.PromiseFixture {
    /// The URL of a picture.
    func url(_ number: Int) -> String { "http://host\(number).test/\(number).jpg" }

    /// The request for a picture within a square.
    func request(_ number: Int, _ side: Int) -> ImageRequest {
        ImageRequest(url(number), .fit(side, side), .png)
    }

    /// Loads a picture within a square, and checks that it is that.
    func load(_ number: Int, _ side: Int) async throws {
        try check(try await pipeline.rendition(for: request(number, side)), side)
    }

    /// Runs `operation` as the victim; where it got through, `count` requests have been sent in all.
    func victim(sharing count: Int, _ operation: @escaping @Sendable () async throws -> Void) async throws {
        let wasThrough = try await context.victim(operation) != nil
        guard wasThrough, beginsTogether else { return }
        let requests = transport.statistics.requests
        guard requests == count else { throw WrongPicture(what: "\(requests) requests in place of \(count)") }
    }

    /// Checks that a rendition is within a square of `side`, which is smaller than the source.
    func check(_ rendition: Rendition, _ side: Int) throws {
        let size = PixelSize(width: side, height: side * 2 / 3)
        guard rendition.size == size, rendition.format == .png, !rendition.bytes.isEmpty else {
            throw WrongPicture(what: "\(rendition.size) in place of \(size)")
        }
    }
}

/// A waiter got something else than it had asked for.
struct WrongPicture: Error, CustomStringConvertible {
    let what: String

    var description: String { "wrong picture: \(what)" }
}
