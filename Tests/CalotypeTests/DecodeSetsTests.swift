import CalotypeCodec
import CalotypeCore
import CalotypeSamplePictures
import Testing

@testable import Calotype

/// The value under test, in a class so that its changes can be expected in place.
private final class Sets {
    private var value = DecodeSets()

    var count: Int { value.count }

    func join(_ specs: [PictureSpec], of source: SourceKey) -> DecodeSets.SetID {
        value.join(specs, of: source)
    }

    func leave(_ id: DecodeSets.SetID, _ specs: [PictureSpec], of source: SourceKey) -> Bool {
        value.leave(id, specs, of: source)
    }

    func begin(_ id: DecodeSets.SetID, of source: SourceKey) -> [PictureSpec] {
        value.begin(id, of: source)
    }

    func begin(_ id: DecodeSets.SetID, of source: SourceKey, room: Int) -> [PictureSpec] {
        value.begin(id, of: source) { min(room, $0.count) }
    }

    func settle(
        _ id: DecodeSets.SetID,
        _ spec: PictureSpec,
        of source: SourceKey,
        room: Int
    ) -> (id: DecodeSets.SetID, endsOther: Bool) {
        value.settle(id, spec, of: source) { min(room, $0.count) }
    }

    func isolate(
        _ id: DecodeSets.SetID,
        _ spec: PictureSpec,
        of source: SourceKey
    ) -> (id: DecodeSets.SetID, endsOther: Bool) {
        value.isolate(id, spec, of: source)
    }

    func contains(_ id: DecodeSets.SetID, of source: SourceKey) -> Bool {
        value.contains(id, of: source)
    }
}

struct DecodeSetsTests {
    private let small = PictureSpec.pixels(.fit(1, 1))
    private let large = PictureSpec.pixels(.fit(2, 2))
    private let source: SourceKey

    init() throws {
        source = try SourceKey(ImageRequest("http://a.test/1.jpg"))
    }

    @Test func `what is requested before the decode begins comes from it`() {
        let sets = Sets()
        let first = sets.join([small], of: source)
        #expect(sets.join([large], of: source) == first)
        #expect(Set(sets.begin(first, of: source)) == [small, large])
    }

    @Test func `a decode that has begun takes only what it makes anyway`() {
        let sets = Sets()
        let first = sets.join([small], of: source)
        _ = sets.begin(first, of: source)
        #expect(sets.join([small], of: source) == first)
        let second = sets.join([large], of: source)
        #expect(second != first)
        #expect(sets.join([small, large], of: source) == second)
        #expect(sets.join([small], of: source) == first)
    }

    @Test func `what nobody wants any more is not made`() {
        let sets = Sets()
        let set = sets.join([small], of: source)
        _ = sets.join([large], of: source)
        _ = sets.join([large], of: source)
        #expect(!sets.leave(set, [small], of: source))
        #expect(!sets.leave(set, [large], of: source))
        #expect(sets.begin(set, of: source) == [large])
    }

    @Test func `a decode that begins again makes what the one before would have made`() {
        let sets = Sets()
        let set = sets.join([small], of: source)
        _ = sets.join([large], of: source)
        let made = sets.begin(set, of: source)
        #expect(!sets.leave(set, [small], of: source))
        #expect(sets.begin(set, of: source) == made)
    }

    @Test func `a set without members is removed, and the next request opens another`() {
        let sets = Sets()
        let set = sets.join([small, large], of: source)
        #expect(sets.leave(set, [small, large], of: source))
        #expect(sets.count == 0 && !sets.contains(set, of: source))
        #expect(sets.begin(set, of: source) == [])
        #expect(!sets.leave(set, [small], of: source))
        #expect(sets.join([small], of: source) != set)
    }

    @Test func `sources have nothing to do with each other`() throws {
        let sets = Sets()
        let other = try SourceKey(ImageRequest("http://a.test/2.jpg"))
        let (first, second) = (sets.join([small], of: source), sets.join([small], of: other))
        #expect(first != second)
        #expect(!sets.contains(first, of: other))
        #expect(sets.leave(first, [small], of: source))
        #expect(sets.contains(second, of: other) && sets.count == 1)
    }

    @Test func `what has no room in a set settles in others, each decode as full as it may be`() {
        let sets = Sets()
        let specs = (1...5).map { PictureSpec.pixels(.fit($0, $0)) }
        let first = sets.join([specs[0]], of: source)
        for spec in specs.dropFirst() { #expect(sets.join([spec], of: source) == first) }
        let settled = specs.map { sets.settle(first, $0, of: source, room: 2).id }
        #expect(settled[0] == first && settled[1] == first)
        #expect(settled[2] == settled[3] && settled[2] != first)
        #expect(Set(settled).count == 3 && sets.count == 3)
        for id in Set(settled) {
            let own = zip(specs, settled).filter { $0.1 == id }.map(\.0)
            #expect(sets.begin(id, of: source, room: 2) == own)
        }
    }

    @Test func `a decode that begins before all have settled makes the first, and the others find a place`() {
        let sets = Sets()
        let set = sets.join([small], of: source)
        _ = sets.join([large], of: source)
        #expect(sets.begin(set, of: source, room: 1) == [small])
        #expect(sets.settle(set, small, of: source, room: 1).id == set)
        let other = sets.settle(set, large, of: source, room: 1)
        #expect(other.id != set && !other.endsOther)
        #expect(sets.begin(other.id, of: source, room: 1) == [large])
        #expect(sets.leave(set, [small], of: source))
    }

    @Test func `what is made alone shares its decode with nothing but itself`() {
        let sets = Sets()
        let set = sets.join([small], of: source)
        _ = sets.join([small], of: source)
        _ = sets.join([large], of: source)
        _ = sets.begin(set, of: source)
        let alone = sets.isolate(set, small, of: source)
        #expect(alone.id != set && !alone.endsOther)
        #expect(sets.isolate(set, small, of: source).id == alone.id)
        let other = sets.isolate(set, large, of: source)
        #expect(other.id != alone.id && other.endsOther)
        #expect(sets.begin(alone.id, of: source) == [small])
        #expect(sets.begin(other.id, of: source) == [large])
    }

    /// Members as a plain list, asked anew at every step.
    private struct Model {
        struct Member {
            let set: DecodeSets.SetID
            let specs: [PictureSpec]
        }

        var members: [Member] = []
        var made: [DecodeSets.SetID: Set<PictureSpec>] = [:]

        func wanted(_ set: DecodeSets.SetID) -> Set<PictureSpec> {
            Set(members.filter { $0.set == set }.flatMap(\.specs))
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `random steps agree with a plain list of members`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let sets = Sets()
        var model = Model()
        let specs = (1...4).map { PictureSpec.pixels(.fit($0, $0)) }
        for _ in 0..<400 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let wanted = Array(
                    specs.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
                )
                let set = sets.join(wanted, of: source)
                if let made = model.made[set] { #expect(made.isSuperset(of: wanted)) }
                model.members.append(.init(set: set, specs: wanted))
            case 2, 3:
                guard let index = model.members.indices.randomElement(using: &random) else { continue }
                let member = model.members.remove(at: index)
                let isLast = !model.members.contains { $0.set == member.set }
                #expect(sets.leave(member.set, member.specs, of: source) == isLast)
                if isLast { model.made[member.set] = nil }
            default:
                guard let set = model.members.randomElement(using: &random)?.set else { continue }
                let made = model.made[set] ?? model.wanted(set)
                #expect(Set(sets.begin(set, of: source)) == made)
                model.made[set] = made
            }
            let live = Set(model.members.map(\.set))
            #expect(sets.count == live.count)
            // At most one set is open; every member gets what it asked for.
            #expect(live.count { model.made[$0] == nil } <= 1)
            for member in model.members {
                #expect(model.made[member.set]?.isSuperset(of: member.specs) ?? true)
            }
        }
        for member in model.members { _ = sets.leave(member.set, member.specs, of: source) }
        #expect(sets.count == 0)
    }
}
