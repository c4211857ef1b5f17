import CalotypeCodec
import Synchronization

/// Which pictures are made by which decode of a source: the rules, without locks or tasks.
///
/// A set is open until its decode begins, and takes whatever is asked for of its source. From then on it takes only
/// what it makes anyway. Each caller that joins leaves again; a set without members is forgotten.
///
/// What a set takes may be more than one decode should make, which is known when its source is there: then a member settles,
/// in its set or in another.
struct DecodeSets {
    typealias SetID = UInt64
    /// How many of the pictures, from the first on, one decode makes.
    typealias Room = ([PictureSpec]) -> Int

    private struct DecodeSet {
        let id: SetID
        /// How many members want each picture.
        var wanted: [PictureSpec: Int] = [:]
        /// The pictures that are wanted, in the order in which they were first asked for.
        var order: [PictureSpec] = []
        /// What the decode makes, in order; `nil` while the set is open.
        var made: [PictureSpec]?
        var members = 0
        /// When its source had changed last.
        let moment: SourceChanges.Moment

        func takes(_ specs: [PictureSpec]) -> Bool {
            made.map { made in specs.allSatisfy(made.contains) } ?? true
        }

        /// Whether the decode will make `spec`, which is wanted here or would be.
        func has(_ room: Room, for spec: PictureSpec) -> Bool {
            if let made { return made.contains(spec) }
            let all = wanted[spec] == nil ? order + [spec] : order
            return all.prefix(room(all)).contains(spec)
        }

        mutating func add(_ spec: PictureSpec) {
            if wanted[spec] == nil { order.append(spec) }
            wanted[spec, default: 0] += 1
        }

        mutating func remove(_ spec: PictureSpec) {
            let others = (wanted[spec] ?? 1) - 1
            wanted[spec] = others > 0 ? others : nil
            if others <= 0 { order.removeAll { $0 == spec } }
        }
    }

    private var sets: [SourceKey: [DecodeSet]] = [:]
    private var lastID: SetID = 0

    /// The sets that have members.
    var count: Int { sets.values.reduce(0) { $0 + $1.count } }

    /// Joins the set that takes `specs` and was opened since the source changed last, at `moment`; a new one if there is none.
    mutating func join(
        _ specs: [PictureSpec],
        of source: SourceKey,
        changed moment: SourceChanges.Moment = .beginning
    ) -> SetID {
        join(specs, of: source, moment) { $0.takes(specs) }
    }

    /// Whether the set has members.
    func contains(_ id: SetID, of source: SourceKey) -> Bool {
        sets[source]?.contains { $0.id == id } ?? false
    }

    /// Lets a member that wants `spec` stay in its set if the decode will make that, and else join a set whose decode will, a
    /// new one if no set will; `id` of the set in which it is from now on, and whether it was the last member of the other.
    mutating func settle(
        _ id: SetID,
        _ spec: PictureSpec,
        of source: SourceKey,
        room: Room
    ) -> (id: SetID, endsOther: Bool) {
        let set = sets[source]?.first { $0.id == id }
        if let set, set.has(room, for: spec) { return (id, false) }
        let new = join([spec], of: source, set?.moment ?? .beginning) {
            $0.id != id && $0.has(room, for: spec)
        }
        return (new, leave(id, [spec], of: source))
    }

    /// Moves a member that wants `spec` to a set that makes nothing else.
    mutating func isolate(
        _ id: SetID,
        _ spec: PictureSpec,
        of source: SourceKey
    ) -> (id: SetID, endsOther: Bool) {
        let moment = sets[source]?.first { $0.id == id }?.moment ?? .beginning
        let new = join([spec], of: source, moment) { $0.id != id && $0.made == [spec] }
        if let index = sets[source]?.firstIndex(where: { $0.id == new }) {
            sets[source]?[index].made = [spec]
        }
        return (new, leave(id, [spec], of: source))
    }

    /// Leaves the set, and returns whether that was its last member.
    ///
    /// Renditions that no other member wants are dropped, unless the decode has begun.
    mutating func leave(_ id: SetID, _ specs: [PictureSpec], of source: SourceKey) -> Bool {
        guard let index = sets[source]?.firstIndex(where: { $0.id == id }) else { return false }
        for spec in specs { sets[source]?[index].remove(spec) }
        sets[source]?[index].members -= 1
        guard sets[source]?[index].members == 0 else { return false }
        sets[source]?.remove(at: index)
        if sets[source]?.isEmpty == true { sets[source] = nil }
        return true
    }

    /// Closes the set, because its decode begins, and returns what to make, up to the room there is; nothing when all have left.
    mutating func begin(_ id: SetID, of source: SourceKey, room: Room = { $0.count }) -> [PictureSpec] {
        guard let index = sets[source]?.firstIndex(where: { $0.id == id }), let set = sets[source]?[index]
        else {
            return []
        }
        // A decode that begins again, because the one before was cancelled, makes what that one would have made.
        let made = set.made ?? Array(set.order.prefix(room(set.order)))
        sets[source]?[index].made = made
        return made
    }

    private mutating func join(
        _ specs: [PictureSpec],
        of source: SourceKey,
        _ moment: SourceChanges.Moment,
        where fits: (DecodeSet) -> Bool
    ) -> SetID {
        let index = sets[source]?.firstIndex { $0.moment == moment && fits($0) } ?? open(source, moment)
        sets[source]?[index].members += 1
        for spec in specs { sets[source]?[index].add(spec) }
        return sets[source]?[index].id ?? lastID
    }

    private mutating func open(_ source: SourceKey, _ moment: SourceChanges.Moment) -> Int {
        lastID += 1
        sets[source, default: []].append(DecodeSet(id: lastID, moment: moment))
        return (sets[source]?.count ?? 1) - 1
    }
}

/// A picture's place in a decode to come, kept until the picture is had or not wanted any more.
final class DecodePlace: Sendable {
    let spec: PictureSpec
    let source: SourceKey
    private let current: Atomic<DecodeSets.SetID>
    private let isKept = Atomic(true)

    init(in set: DecodeSets.SetID, for spec: PictureSpec, of source: SourceKey) {
        current = Atomic(set)
        self.spec = spec
        self.source = source
    }

    /// The set in which it is; changed under the lock that the sets are behind.
    var set: DecodeSets.SetID {
        get { current.load(ordering: .relaxed) }
        set { current.store(newValue, ordering: .relaxed) }
    }

    /// Marks the place as given up, and tells whether this call did.
    func giveUp() -> Bool {
        isKept.exchange(false, ordering: .relaxed)
    }
}
