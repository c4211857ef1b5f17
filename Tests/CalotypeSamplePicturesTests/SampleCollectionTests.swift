import CalotypeCodec
import CalotypeCore
import CalotypeSamplePictures
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SampleCollectionTests {
    private static let tiny = 0.002...0.004

    @Test func `a collection is mostly JPEG, with sizes in the range and names that say them`() {
        let specs = SampleCollection(count: 100).specs
        #expect(specs.count { $0.format == .jpeg } == 80)
        #expect(specs.count { $0.format == .png } == 10)
        #expect(specs.count { $0.format == .webp } == 10)
        #expect(Set(specs.map(\.name)).count == 100)
        #expect(specs.allSatisfy { (450_000...12_000_000).contains($0.picture.size.pixelCount) })
        #expect(specs.contains { $0.orientation != 1 })
        let spec = specs[7]
        #expect(spec.name == "0007-\(spec.picture.motif.rawValue)-\(spec.picture.size).jpg")
        #expect(specs == SampleCollection(count: 100).specs)
        #expect(specs != SampleCollection(count: 100, seed: 2).specs)
    }

    @Test func `every picture decodes with the size, format and orientation that its spec says`() async throws
    {
        try await withImageCodec { codec in
            try await withSampleRenderer(SampleCollection(count: 12, megapixels: Self.tiny), codec: codec) {
                renderer in
                for spec in renderer.collection.specs {
                    let bytes = try #require(try await renderer.bytes(named: spec.name))
                    let facts = try #require(try codec.probe(bytes, isComplete: true))
                    #expect(facts.size == spec.picture.size)
                    #expect(facts.format == spec.format)
                    #expect(facts.orientation == spec.orientation)
                }
                #expect(try await renderer.bytes(named: "nothing.jpg") == nil)
            }
        }
    }

    @Test func `many requests for one picture get the same bytes`() async throws {
        try await withImageCodec { codec in
            try await withSampleRenderer(SampleCollection(count: 1, megapixels: Self.tiny), codec: codec) {
                renderer in
                let name = renderer.collection.specs[0].name
                let all = try await withThrowingTaskGroup { group in
                    for _ in 0..<20 { group.addTask { try await renderer.bytes(named: name) } }
                    return try await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
                }
                #expect(all.count == 1)
                #expect(!all.contains(nil))
            }
        }
    }
}
