import CalotypeCodec
import CalotypeCore
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct LiveSourcesTests {
    private let live = LiveSources()
    private let key: SourceKey

    init() throws {
        key = try SourceKey(ImageRequest("http://a.test/1.jpg"))
    }

    private func source() -> LoadedSource {
        let receipt = SourceReceipt(byteCount: ByteCount(0), attempts: 1, timings: LoadTimings(), facts: nil)
        return LoadedSource(SourceBody.Product(input: .bytes([]), count: 0), receipt) { [live, key] in
            live.forget(key)
        }
    }

    @Test func `a source is lent as long as somebody holds it`() {
        var held: LoadedSource? = source()
        if let held { live.insert(held, for: key) }
        #expect(live.source(for: key) === held)
        held = nil
        #expect(live.source(for: key) == nil)
        #expect(live.count == 0)
    }

    @Test func `the end of an old source does not remove the newer one of its key`() {
        var old: LoadedSource? = source()
        if let old { live.insert(old, for: key) }
        let new = source()
        live.insert(new, for: key)
        old = nil
        #expect(old == nil && live.source(for: key) === new)
        new.stay()
    }

    @Test func `many sources of one key may end at the same moment`() async {
        for _ in 0..<1000 {
            await withTaskGroup { group in
                for _ in 0..<8 {
                    let source = source()
                    live.insert(source, for: key)
                    group.addTask { source.stay() }
                }
            }
        }
        #expect(live.count == 0)
    }
}
