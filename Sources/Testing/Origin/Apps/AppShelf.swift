/// The apps of an origin, made and indexed.
struct AppShelf: Sendable {
    let records: [AppRecord]
    private let index: AppSearchIndex
    private let placesByID: [Int: Int]
    private let placesByBundle: [String: Int]

    init(_ collection: AppCollection) {
        records = (0..<collection.count).map { AppRecord(number: $0, seed: collection.seed) }
        index = AppSearchIndex(records)
        placesByID = Dictionary(uniqueKeysWithValues: records.enumerated().map { ($1.id, $0) })
        placesByBundle = Dictionary(uniqueKeysWithValues: records.enumerated().map { ($1.bundleID, $0) })
    }

    /// The apps that have all words of `term` in their names, makers or genres, the best first.
    func records(for term: String) -> [AppRecord] {
        index.places(for: term).map { records[$0] }
    }

    func record(id: Int) -> AppRecord? {
        placesByID[id].map { records[$0] }
    }

    func record(bundleID: String) -> AppRecord? {
        placesByBundle[bundleID].map { records[$0] }
    }
}
