/// An App Store's search, in the shape of the iTunes Search API.
enum AppStoreService {
    static let limits = 1...200
    private static let defaultLimit = 50

    static let search: @Sendable (Call) throws -> ServedPicture = { call in
        try admit(call)
        let storefront = try storefront(call)
        let limit = try limit(call)
        let entity = try entity(call)
        let found = call.site.apps.records(for: call.request.query("term") ?? "")
            .filter { entity.includes($0) && storefront.sells($0) }
        return answer(Array(found.prefix(limit)), storefront, entity, call)
    }

    static let lookup: @Sendable (Call) throws -> ServedPicture = { call in
        try admit(call)
        let storefront = try storefront(call)
        let apps = call.site.apps
        let ids = try items("id", call).map { text in
            guard let id = Int(text) else { throw nonsense("id") }
            return id
        }
        let records =
            ids.compactMap(apps.record(id:)) + items("bundleId", call).compactMap(apps.record(bundleID:))
        return answer(records.filter(storefront.sells), storefront, .software, call)
    }

    /// Refuses a search as the real service does: with an empty response.
    private static func admit(_ call: Call) throws {
        guard call.site.admitsSearch() else { throw OriginError.refused(Response(status: 403)) }
    }

    private static func answer(
        _ records: [AppStoreRecord],
        _ storefront: Storefront,
        _ entity: AppStoreEntityKind,
        _ call: Call
    ) -> ServedPicture {
        let root = call.document.pictureRoot(call.site)
        let format = call.site.artworkFormat
        var entries = records.map { record in
            AppStoreDescription(
                record: record,
                storefront: storefront,
                baseURL: call.site.baseURL,
                root: root,
                format: format
            ).entry
        }
        if let way = call.document.oddity { entries = OddEntries.spoilt(entries, from: way) }
        let list = entries.map(\.text).joined(separator: ", \n")
        // The real service also begins and ends with blank lines.
        let text = "\n\n\n{\n \"resultCount\":\(entries.count),\n \"results\": [\n\(list)]\n}\n\n\n"
        return ServedPicture(
            bytes: Array(text.utf8),
            mediaType: "text/javascript; charset=utf-8",
            cacheControl: "max-age=86400"
        )
    }
}

extension AppStoreService {
    private static func storefront(_ call: Call) throws -> Storefront {
        guard let storefront = Storefront.of(call.request.query("country") ?? "us") else {
            throw nonsense("country")
        }
        return storefront
    }

    private static func limit(_ call: Call) throws -> Int {
        guard let text = call.request.query("limit") else { return defaultLimit }
        guard let limit = Int(text), limits.contains(limit) else { throw nonsense("limit") }
        return limit
    }

    private static func entity(_ call: Call) throws -> AppStoreEntityKind {
        guard let text = call.request.query("entity") else { return .software }
        guard let entity = AppStoreEntityKind(rawValue: text) else { throw nonsense("resultEntity") }
        return entity
    }

    /// Returns the values of a query item, separated by commas.
    private static func items(_ name: String, _ call: Call) -> [String] {
        (call.request.query(name) ?? "").split(separator: ",").map(String.init)
    }

    private static func nonsense(_ key: String) -> OriginError {
        OriginError.refused(
            Response(
                status: 400,
                fields: [("Content-Type", "application/json; charset=utf-8")],
                body: Array("{\"errorMessage\":\"Invalid value(s) for key(s): [\(key)]\"}\n".utf8)
            )
        )
    }
}

/// The kind of app to search for.
enum AppStoreEntityKind: String, Sendable {
    case software, iPadSoftware, macSoftware

    func includes(_ record: AppStoreRecord) -> Bool {
        switch self {
        case .software: !record.isForMac
        case .iPadSoftware: !record.isForMac && record.isForTablet
        case .macSoftware: record.isForMac
        }
    }
}

/// Faulty entries, as real responses sometimes have them, and worse.
enum OddEntries {
    private static let changes: [@Sendable (inout JSONText) -> Void] = [
        { _ in },
        // A correct entry without its optional members.
        { entry in
            for name in [
                "averageUserRating", "userRatingCount", "averageUserRatingForCurrentVersion",
                "userRatingCountForCurrentVersion", "formattedPrice", "price", "screenshotUrls",
                "ipadScreenshotUrls", "bundleId", "version", "releaseNotes", "genres", "sellerName",
            ] { entry[name] = nil }
        },
        { $0["trackId"] = nil },
        { $0["trackName"] = nil },
        { $0["trackViewUrl"] = .text("not a page") },
        { entry in
            for name in ["artworkUrl512", "artworkUrl100", "artworkUrl60"] {
                entry[name] = .text("javascript:alert(1)")
            }
        },
        { entry in
            guard case .list(let urls) = entry["screenshotUrls"] else { return }
            entry["screenshotUrls"] = .list([.text("http://[bad"), .whole(7), .text("")] + urls)
        },
        { entry in
            entry["averageUserRating"] = .text("4.5")
            entry["userRatingCount"] = .text("many")
        },
        { entry in
            entry["somethingNew"] = .object([("of", .list([.null, .number(1.5e300), .truth(false)]))])
            entry["anotherNumber"] = .number(1e18)
        },
        { $0 = .text("an entry that is no object") },
        { entry in
            for name in ["price", "formattedPrice", "screenshotUrls", "averageUserRating", "version"] {
                entry[name] = .null
            }
        },
        { $0["trackId"] = .text("123456") },
        { $0["trackName"] = .text("  \n ") },
        { entry in
            entry["averageUserRating"] = .number(11.5)
            entry["userRatingCount"] = .whole(-3)
        },
        { entry in
            for name in ["artworkUrl512", "artworkUrl100", "artworkUrl60"] { entry[name] = nil }
        },
        { entry in
            entry["genres"] = .text("Games")
            entry["fileSizeBytes"] = .whole(12)
            entry["screenshotUrls"] = .text("http://example.com/1.png")
        },
        {
            $0["trackName"] = .text(
                "Bell \u{7}, escape \u{1b}[31mred\u{1b}[0m, tab \t, and \u{202e}backwards"
            )
        },
        { $0 = .null },
        { $0["artworkUrl512"] = nil },
        { $0["trackViewUrl"] = nil },
    ]

    /// The numbers of the ways in which an entry can be odd.
    ///
    /// 0 is a correct entry.
    static var ways: Range<Int> { changes.indices }

    /// Changes each entry in another way, in turn, beginning with way `first`.
    static func spoilt(_ entries: [JSONText], from first: Int) -> [JSONText] {
        entries.enumerated().map { index, entry in
            var entry = entry
            changes[(first + index) % changes.count](&entry)
            return entry
        }
    }
}
