import CalotypeCodec

/// Which pictures are made by which decode of a source: the rules, without locks or tasks.
///
/// A set is open until its decode begins, and takes whatever is asked for of its source. From then on it takes only
/// what it makes anyway. Each caller that joins leaves again; a set without members is forgotten.
struct DecodeSets {
    typealias SetID = UInt64

    private struct DecodeSet {
        let id: SetID
        /// How many members want each picture.
        var wanted: [PictureSpec: Int] = [:]
        /// What the decode makes, in order; `nil` while the set is open.
        var made: [PictureSpec]?
        var members = 0

        func takes(_ specs: [PictureSpec]) -> Bool {
            made.map { made in specs.allSatisfy(made.contains) } ?? true
        }
    }

    private var sets: [SourceKey: [DecodeSet]] = [:]
    private var lastID: SetID = 0

    /// The sets that have members.
    var count: Int { sets.values.reduce(0) { $0 + $1.count } }

    /// Joins the set that takes `specs`, a new one where there is none.
    mutating func join(_ specs: [PictureSpec], of source: SourceKey) -> SetID {
        let index = sets[source]?.firstIndex { $0.takes(specs) } ?? open(source)
        sets[source]?[index].members += 1
        for spec in specs { sets[source]?[index].wanted[spec, default: 0] += 1 }
        return sets[source]?[index].id ?? lastID
    }

    /// Whether the set has members.
    func contains(_ id: SetID, of source: SourceKey) -> Bool {
        sets[source]?.contains { $0.id == id } ?? false
    }

    /// Leaves the set, and tells whether that was its last member; what nobody else wants of it is not made, unless
    /// the decode has begun.
    mutating func leave(_ id: SetID, _ specs: [PictureSpec], of source: SourceKey) -> Bool {
        guard let index = sets[source]?.firstIndex(where: { $0.id == id }) else { return false }
        for spec in specs {
            let others = (sets[source]?[index].wanted[spec] ?? 1) - 1
            sets[source]?[index].wanted[spec] = others > 0 ? others : nil
        }
        sets[source]?[index].members -= 1
        guard sets[source]?[index].members == 0 else { return false }
        sets[source]?.remove(at: index)
        if sets[source]?.isEmpty == true { sets[source] = nil }
        return true
    }

    /// Closes the set, because its decode begins, and tells what to make; nothing when all have left.
    mutating func begin(_ id: SetID, of source: SourceKey) -> [PictureSpec] {
        guard let index = sets[source]?.firstIndex(where: { $0.id == id }), let set = sets[source]?[index]
        else {
            return []
        }
        // A decode that begins again, because the one before was cancelled, makes what that one would have made.
        let made = set.made ?? Array(set.wanted.keys)
        sets[source]?[index].made = made
        return made
    }

    private mutating func open(_ source: SourceKey) -> Int {
        lastID += 1
        sets[source, default: []].append(DecodeSet(id: lastID))
        return (sets[source]?.count ?? 1) - 1
    }
}
