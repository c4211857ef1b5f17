/// Answers in the shapes that the services document, made up for these tests.
enum Fixtures {
    /// A whole entry of a software search, with fields that nobody reads.
    static func app(_ id: Int = 11, _ changes: [String: String?] = [:]) -> String {
        var fields: [String: String?] = [
            "wrapperType": "\"software\"",
            "kind": "\"software\"",
            "trackId": "\(id)",
            "trackName": "\"Moss Camera \(id)\"",
            "bundleId": "\"example.moss.camera\"",
            "artistId": "902",
            "artistName": "\"Fern & Daughters\"",
            "sellerName": "\"Fern and Daughters Ltd\"",
            "trackViewUrl": "\"https://apps.test/us/app/id\(id)?uo=4\"",
            "artworkUrl60": "\"https://is1.icons.test/\(id)/60x60bb.jpg\"",
            "artworkUrl100": "\"https://is1.icons.test/\(id)/100x100bb.jpg\"",
            "artworkUrl512": "\"https://is1.icons.test/\(id)/512x512bb.jpg\"",
            "screenshotUrls":
                "[\"https://is2.shots.test/\(id)/1/392x696bb.jpg\", \"https://is2.shots.test/\(id)/2/392x696bb.jpg\"]",
            "ipadScreenshotUrls": "[\"https://is2.shots.test/\(id)/3/576x768bb.jpg\"]",
            "appletvScreenshotUrls": "[]",
            "formattedPrice": "\"€ 0,99\"",
            "price": "0.99",
            "currency": "\"EUR\"",
            "averageUserRating": "4.535",
            "userRatingCount": "12034",
            "genres": "[\"Utilities\", \"Photo & Video\"]",
            "primaryGenreName": "\"Photo & Video\"",
            "fileSizeBytes": "\"73400320\"",
            "version": "\"2.10.1\"",
            "description": "\"Takes pictures\\r\\nof moss.\\n\\u2022 Slowly\"",
            "features": "[\"iosUniversal\"]",
            "isGameCenterEnabled": "false",
            "somethingNew": "{\"deep\": [1, null, {\"deeper\": true}]}",
        ]
        for (name, value) in changes { fields[name] = value }
        let texts = fields.compactMap { name, value in value.map { "\"\(name)\": \($0)" } }
        return "{" + texts.sorted().joined(separator: ", ") + "}"
    }

    /// A whole answer, with the blank lines that the real service sends first.
    static func answer(_ entries: [String]) -> String {
        "\n\n\n{\n \"resultCount\":\(entries.count),\n \"results\": [\n\(entries.joined(separator: ",\n"))]\n}\n\n"
    }

    static func photo(_ id: Int) -> String {
        """
        {"albumId": 3, "id": \(id), "title": "photo \(id)", "url": "https://p.test/600/\(id)", \
        "thumbnailUrl": "https://p.test/150/\(id)"}
        """
    }

    /// A page such as a network's log-in.
    static let page = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>{}</body></html>"
}
