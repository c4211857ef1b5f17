import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

/// A cancel while libvips edits a large picture; each edit takes a third of a second and more.
@Suite(.timeLimit(.minutes(3)))
struct EditCancelTests {
    enum Edit: CaseIterable {
        case blur, wideBlur, watermark, trim

        /// The edit, of which most of the time goes into this one step.
        func edits(_ mark: [UInt8]) -> PictureEdits {
            var edits = PictureEdits()
            switch self {
            case .blur: edits.blur = 15
            case .wideBlur: edits.blur = 17
            case .watermark:
                let picture = EncodedPicture(name: "mark", bytes: mark)
                edits.watermark = Watermark(picture, opacity: 0.5, position: .tiled(x: 0, y: 0))
            case .trim: edits.trim = BorderTrim(threshold: 10)
            }
            return edits
        }

        /// The side of the result; a trim looks at the source.
        var side: Int { self == .trim ? 64 : 2400 }
    }

    private static let isolations: [DecoderIsolation] = [.none, .all]

    @Test(arguments: Edit.allCases, isolations)
    func `a cancel in the midst of an edit ends it soon`(
        _ edit: Edit,
        _ isolation: DecoderIsolation
    ) async throws {
        var configuration = TestWorker.configuration(isolation)
        configuration.usesLibvipsOnly = true
        let mark = try await withImageCodec { try await $0.encode(fourCorners(40, 40), as: ImageFormat.png) }
        let transform = Transform.fit(edit.side, edit.side, enlarges: true).edited(edit.edits(mark))
        let spec = PictureSpec.encoded(RenditionSpec(transform, .jpeg))
        try await TestWorker.withCodec(configuration) { codec in
            let source = try await Self.source(codec, side: edit == .trim ? 2400 : 64)
            _ = try await codec.picture(.small, of: source)
            var whole = try await Self.time { _ = try await codec.picture(spec, of: source) }
            var wasSoon = false
            for _ in 0..<Self.mostTries where !wasSoon {
                let end = try await Self.end(
                    of: { try await codec.picture(spec, of: source) },
                    after: whole * 3 / 10
                )
                // One that came whole all the same: the machine had other work before, and has less now.
                guard end.wasCancelled else {
                    whole = try await Self.time { _ = try await codec.picture(spec, of: source) }
                    continue
                }
                #expect(codec.coreUse.used == 0)
                // Without the cancel it would have gone on for more than twice that.
                wasSoon = end.time < whole * 3 / 10
            }
            #expect(wasSoon)
        }
    }

    /// How often it is tried: on a machine with other work a cancel may take a while, but not each time.
    private static let mostTries = 20

    /// A JPEG of four colours.
    private static func source(_ codec: ImageCodec, side: Int) async throws -> [UInt8] {
        let png = try await codec.encode(fourCorners(64, 64), as: ImageFormat.png)
        let transform = Transform.fit(side, side, enlarges: true)
        return try await codec.picture(.encoded(RenditionSpec(transform, .jpeg)), of: png).bytes
    }

    private static func time(_ body: () async throws -> Void) async throws -> Duration {
        let start = ContinuousClock.now
        try await body()
        return .now - start
    }

    /// How long `body` goes on after a cancel, `delay` after its start, and whether it ends by that.
    private static func end(
        of body: @escaping @Sendable () async throws -> CodedPicture,
        after delay: Duration
    ) async throws -> (time: Duration, wasCancelled: Bool) {
        let work = Task { try await body() }
        // Nothing tells that libvips is in the midst of a step.
        try await Task.sleep(for: delay)
        work.cancel()
        let start = ContinuousClock.now
        let result = await work.result
        return (.now - start, (try? result.get()) == nil)
    }
}
