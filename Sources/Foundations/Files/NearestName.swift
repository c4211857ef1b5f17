/// Finds the word that a mistyped one most likely stands for.
package enum NearestName {
    /// Returns `; did you mean X?` for the nearest of `names`, or nothing if none is near.
    package static func hint(_ text: String, in names: [String], prefix: String = "") -> String {
        find(text, in: names).map { "; did you mean \(prefix)\($0)?" } ?? ""
    }

    /// Returns the nearest of `names`; `nil` if more than about a third of the letters differ.
    package static func find(_ text: String, in names: [String]) -> String? {
        // A longer text is no typing mistake, and the table below grows with its length.
        guard !text.isEmpty, text.utf8.count <= 64 else { return nil }
        let scored = names.map { (name: $0, distance: distance(text, $0)) }
        if let best = scored.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, best.name.count / 3)
        {
            return best.name
        }
        let beginning = names.filter { text.count >= 3 && $0.hasPrefix(text) }
        return beginning.count == 1 ? beginning[0] : nil
    }

    /// The number of letters inserted, left out, changed or swapped with their neighbour.
    private static func distance(_ first: String, _ second: String) -> Int {
        let a = Array(first.lowercased().utf8)
        let b = Array(second.lowercased().utf8)
        var before: [Int] = []
        var previous = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var cost = min(row[j] + 1, previous[j + 1] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
                row.append(cost)
            }
            (before, previous) = (previous, row)
        }
        return previous[b.count]
    }
}
