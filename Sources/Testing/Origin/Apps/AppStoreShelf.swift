/// The generated apps of an origin, with their search index.
struct AppStoreShelf: Sendable {
    let records: [AppStoreRecord]
    private let index: AppStoreSearchIndex
    private let placesByID: [Int: Int]
    private let placesByBundle: [String: Int]

    init(_ collection: AppStoreCollection) {
        records = (0..<collection.count).map { AppStoreRecord(number: $0, seed: collection.seed) }
        index = AppStoreSearchIndex(records)
        placesByID = Dictionary(uniqueKeysWithValues: records.enumerated().map { ($1.id, $0) })
        placesByBundle = Dictionary(uniqueKeysWithValues: records.enumerated().map { ($1.bundleID, $0) })
    }

    /// Returns the apps with all words of `term` in their names, makers or genres, the best first.
    func records(for term: String) -> [AppStoreRecord] {
        index.places(for: term).map { records[$0] }
    }

    func record(id: Int) -> AppStoreRecord? {
        placesByID[id].map { records[$0] }
    }

    func record(bundleID: String) -> AppStoreRecord? {
        placesByBundle[bundleID].map { records[$0] }
    }
}

/// Finds apps by the words of their names, makers and genres.
struct AppStoreSearchIndex: Sendable {
    private struct Entry {
        let name: String
        let nameWords: [String]
        let makerWords: [String]
        let genreWords: [String]
        let popularity: Double
    }

    private let entries: [Entry]

    init(_ records: [AppStoreRecord]) {
        entries = records.map { record in
            let genres = [record.genre.name] + (record.secondGenre.map { [$0.name] } ?? [])
            return Entry(
                name: Self.folded(record.name),
                nameWords: Self.words(of: record.name),
                makerWords: Self.words(of: record.maker.name),
                genreWords: genres.flatMap { Self.words(of: $0) },
                popularity: Double(Int.bitWidth - record.popularity.leadingZeroBitCount)
            )
        }
    }

    /// Returns the positions of the records with all words of `term`, the best first.
    func places(for term: String) -> [Int] {
        let words = Self.words(of: term)
        let text = Self.trimmed(Self.folded(term))
        guard !text.isEmpty else { return [] }
        let scored = entries.indices.compactMap { place in
            Self.score(entries[place], words, text).map { (place: place, score: $0) }
        }
        return scored.sorted { ($0.score, -$0.place) > ($1.score, -$1.place) }.map(\.place)
    }

    private static func score(_ entry: Entry, _ words: [String], _ text: String) -> Double? {
        // A term of symbols alone, such as an emoji, has no words.
        if words.isEmpty { return entry.name.contains(text) ? entry.popularity : nil }
        var score = entry.popularity
        for word in words {
            let found = [(entry.nameWords, 100.0), (entry.makerWords, 60.0), (entry.genreWords, 30.0)]
                .compactMap { list, weight in
                    list.map { match(word, $0) }.max().flatMap { $0 > 0 ? $0 * weight : nil }
                }
            guard let best = found.max() else { return nil }
            score += best
        }
        if entry.name == text { score += 1000 } else if entry.name.hasPrefix(text) { score += 300 }
        return score
    }

    /// Returns how well a search word matches an indexed word, from 0 to 1.
    private static func match(_ wanted: String, _ word: String) -> Double {
        if wanted == word { return 1 }
        if wanted.count > 1, word.hasPrefix(wanted) { return 0.7 }
        if word.count > 3, wanted == word + "s" { return 0.9 }
        // Scripts without spaces between words.
        let isOutsideLatin = wanted.unicodeScalars.contains { $0.value >= 0x2e80 }
        return isOutsideLatin && word.contains(wanted) ? 0.6 : 0
    }

    /// Returns the words of `text`, folded.
    static func words(of text: String) -> [String] {
        folded(text).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static func trimmed(_ text: String) -> String {
        text.split { $0.isWhitespace }.joined(separator: " ")
    }

    /// Returns `text` in lower case, without the accents of Latin letters, composed or not.
    static func folded(_ text: String) -> String {
        var folded = ""
        for scalar in text.lowercased().unicodeScalars {
            if let plain = plainLetters[scalar] {
                folded += plain
            } else if !(0x300...0x36f).contains(scalar.value) {
                folded.unicodeScalars.append(scalar)
            }
        }
        return folded
    }

    private static let plainLetters: [Unicode.Scalar: String] = {
        let groups = [
            ("a", "àáâãäåāăą"), ("c", "çćĉċč"), ("d", "ďđ"), ("e", "èéêëēĕėęě"), ("g", "ĝğġģ"), ("h", "ĥħ"),
            ("i", "ìíîïĩīĭįı"), ("j", "ĵ"), ("k", "ķ"), ("l", "ĺļľŀł"), ("n", "ñńņňŋ"), ("o", "òóôõöøōŏő"),
            ("r", "ŕŗř"), ("s", "śŝşš"), ("t", "ţťŧ"), ("u", "ùúûüũūŭůűų"), ("w", "ŵ"), ("y", "ýÿŷ"),
            ("z", "źżž"),
            ("ss", "ß"), ("ae", "æ"), ("oe", "œ"), ("th", "þ"),
        ]
        var letters: [Unicode.Scalar: String] = [:]
        for (plain, marked) in groups {
            for scalar in marked.unicodeScalars { letters[scalar] = plain }
        }
        return letters
    }()
}

/// The number of requests allowed in any span of time.
struct RequestAllowance: Sendable {
    /// The maximum number of requests in a span; `nil` for no limit.
    let limit: Int?
    /// The length of a span.
    let span: Duration
    /// The times of the requests in the last span.
    private var times: [ContinuousClock.Instant] = []

    init(limit: Int?, span: Duration) {
        (self.limit, self.span) = (limit, span)
    }

    /// Returns whether another request is allowed `now`.
    ///
    /// If so, counts it.
    mutating func admits(_ now: ContinuousClock.Instant) -> Bool {
        guard let limit else { return true }
        times.removeAll { now - $0 >= span }
        guard times.count < limit else { return false }
        times.append(now)
        return true
    }
}
