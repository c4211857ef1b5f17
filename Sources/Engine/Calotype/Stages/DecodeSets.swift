import CalotypeCodec
import Synchronization

/// Decides which decode of a source makes which pictures; it has no locks or tasks.
///
/// Until its decode begins, a set accepts every picture of its source. After that, it accepts only pictures
/// that the decode makes anyway. Each caller that joins a set also leaves it. A set without members is removed.
///
/// A set may collect more pictures than one decode should make. That becomes known when the source has
/// arrived: each member then settles in this set or in another.
struct DecodeSets {
    typealias SetID = UInt64
    /// Returns how many of the pictures, counted from the first, one decode can make.
    typealias Room = ([PictureSpec]) -> Int

    private struct DecodeSet {
        let id: SetID
        /// The number of members that want each picture.
        var wanted: [PictureSpec: Int] = [:]
        /// The wanted pictures, in the order in which they were first requested.
        var order: [PictureSpec] = []
        /// The pictures that the decode makes, in order; `nil` while the set is open.
        var made: [PictureSpec]?
        var members = 0
        /// The latest change of its source when the set was opened.
        let moment: SourceChanges.Moment

        func takes(_ specs: [PictureSpec]) -> Bool {
            made.map { made in specs.allSatisfy(made.contains) } ?? true
        }

        /// Whether the decode will make `spec`, if `spec` is added.
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

    /// The number of sets; each has members.
    var count: Int { sets.values.reduce(0) { $0 + $1.count } }

    /// Joins a set that accepts `specs` and was opened after the source's latest change, at `moment`.
    ///
    /// If there is none, a new set is opened.
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

    /// Moves a member that wants `spec` to a set whose decode will make it.
    ///
    /// The member stays in its set if that set's decode will make `spec`. If no set's decode will, a new set is
    /// opened.
    ///
    /// - Returns: The member's set from now on, and whether the member was the last one of its previous set.
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

    /// Closes the set because its decode begins, and returns the pictures to make, as many as `room` allows.
    ///
    /// The result is empty if all members have left.
    mutating func begin(_ id: SetID, of source: SourceKey, room: Room = { $0.count }) -> [PictureSpec] {
        guard let index = sets[source]?.firstIndex(where: { $0.id == id }), let set = sets[source]?[index]
        else {
            return []
        }
        // A decode that restarts after a cancelled one makes the pictures that the first would have made.
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

/// A picture's place in a future decode, held until the picture exists or nobody wants it.
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

    /// The set that it belongs to; changed only under the lock that protects the sets.
    var set: DecodeSets.SetID {
        get { current.load(ordering: .relaxed) }
        set { current.store(newValue, ordering: .relaxed) }
    }

    /// Gives the place up; returns `false` if that was already done.
    func giveUp() -> Bool {
        isKept.exchange(false, ordering: .relaxed)
    }
}
