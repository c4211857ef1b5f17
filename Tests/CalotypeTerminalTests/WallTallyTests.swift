import CalotypeCore
import Testing

@testable import Calotype
@testable import CalotypeTerminal

struct WallTallyTests {
    @Test func `each load is counted while it runs, and once by its end`() {
        let tally = WallTally()
        let ends: [PipelineEvent.Kind] = [
            .finished(.memory), .finished(.store), .finished(.revalidated), .finished(.own),
            .finished(.shared),
            .cancelled, .failed(.timeoutTotal),
        ]
        for (load, end) in ends.enumerated() {
            note(.started, of: load, to: tally)
            note(.requested(attempt: 1), of: load, to: tally)
            #expect(tally.figures.loading == 1)
            note(end, of: load, to: tally)
            #expect(tally.figures.loading == 0)
        }
        var figures = WallTally.Figures()
        (figures.loaded, figures.memoryHits, figures.diskHits) = (2, 1, 2)
        (figures.cancelled, figures.failed) = (1, 1)
        #expect(tally.figures == figures)
    }

    @Test func `documents are not counted`() {
        let tally = WallTally()
        tally.note(
            PipelineEvent(load: 1, for: .document, of: ImageRequest("https://a.test/"), kind: .started)
        )
        #expect(tally.figures == WallTally.Figures())
    }

    private func note(_ kind: PipelineEvent.Kind, of load: Int, to tally: WallTally) {
        tally.note(PipelineEvent(load: UInt64(load), of: ImageRequest("https://a.test/"), kind: kind))
    }
}
