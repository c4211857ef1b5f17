/// Entries as real answers have them now and then, and worse.
enum OddEntries {
    private static let changes: [@Sendable (inout JSONText) -> Void] = [
        { _ in },
        // Right, but with nothing that may be missing.
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

    /// The numbers of the ways in which an entry can be odd; 0 is not odd.
    static var ways: Range<Int> { changes.indices }

    /// The entries with one change each, in turn, beginning with that of a number.
    static func spoilt(_ entries: [JSONText], from first: Int) -> [JSONText] {
        entries.enumerated().map { index, entry in
            var entry = entry
            changes[(first + index) % changes.count](&entry)
            return entry
        }
    }
}
