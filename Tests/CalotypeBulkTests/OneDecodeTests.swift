import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

/// The job over the real pipeline.
@Suite(.timeLimit(.minutes(1)))
struct OneDecodeTests {
    @Test func `all renditions of an entry come from one request and one decode`() async throws {
        let folder = try Folder()
        let (origin, events) = (
            ScriptedTransport(
                clock: ManualClock(),
                otherwise: .bytes(TinyPicture.jpeg(PixelSize(width: 64, height: 48)))
            ),
            Recorder<PipelineEvent>()
        )
        var configuration = PipelineConfiguration()
        configuration.exchange = origin
        configuration.observer = { events.record($0) }
        var options = FetchOptions(
            source: .urls(["http://a.test/1", "http://a.test/2"]),
            output: folder.output
        )
        options.stateHome = folder.state
        options.report = folder.report
        options.sizes = [16, 32, 64]
        options.formats = [.jpeg, .png]
        let summary = try await withImagePipeline(configuration) { [options] pipeline in
            try await FetchJob(options, loader: pipeline).run()
        }
        #expect(summary.succeeded == 2 && summary.files == 12)
        #expect(origin.statistics.requests == 2)
        let decodes = events.values.map(\.kind).filter { if case .decoding = $0 { true } else { false } }
        #expect(decodes == [.decoding(pictures: 6), .decoding(pictures: 6)])
        for row in try ReportRow.rows(folder.text(folder.report)) {
            #expect(row.renditions?.map(\.width) == [16, 16, 32, 32, 64, 64])
            #expect(row.renditions?.map(\.height) == [12, 12, 24, 24, 48, 48])
            #expect(row.attempts == 1 && row.cache == "miss" && row.decoder != nil)
        }
    }
}
