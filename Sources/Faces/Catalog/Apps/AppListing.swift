import CalotypeCore

/// What the entries of an App Store's answer make: apps, and notes of what was left out.
struct AppListing {
    private(set) var listing = CatalogListing<AppEntity>(entries: [])
    private var places: [Int: Int] = [:]

    /// Reads an answer, of which no more than `limit` entries count.
    init(_ answer: AppListWire, limit: Int) {
        for (index, element) in answer.results.prefix(limit).enumerated() {
            add(element.value, index + 1)
        }
    }

    private mutating func add(_ wire: AppWire?, _ position: Int) {
        guard let wire else { return skip(position, nil, "it is no JSON object") }
        do throws(AppFault) {
            let (app, faults) = try wire.app(at: position)
            if let place = places[app.id] {
                throw AppFault("it is the same app as entry \(place)")
            }
            places[app.id] = position
            listing.entries.append(app)
            for fault in faults { skip(position, wire, fault.reason, .screenshot) }
        } catch {
            skip(position, wire, error.reason)
        }
    }

    private mutating func skip(
        _ position: Int,
        _ wire: AppWire?,
        _ reason: String,
        _ part: SkippedEntry.Part = .entry
    ) {
        let name = PlainText.line(wire?.trackName)
        let entry = SkippedEntry(
            position: position,
            part: part,
            id: wire?.trackID,
            name: name,
            reason: reason
        )
        listing.skipped.append(entry)
    }
}
