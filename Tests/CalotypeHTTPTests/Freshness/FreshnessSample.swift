import CalotypeHTTP

/// Answers for tables: written as lines, come at ``start``.
enum FreshnessSample {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let start = WallTime(secondsSince1970: 784_111_777)
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// Fields from lines such as `Age: 5`, separated by `|`.
    static func headers(_ lines: String) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        for line in lines.split(separator: "|") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            headers.append(
                try HeaderField(checking: String(parts[0]).trimmed, String(parts.last ?? "").trimmed)
            )
        }
        return headers
    }

    static func response(
        _ lines: String,
        status: Int = 200,
        request: String = "",
        asked: WallTime = start,
        came: WallTime = start
    ) throws -> StoredResponse {
        StoredResponse(
            status: status,
            headers: try headers(lines),
            request: try headers(request),
            requestTime: asked,
            responseTime: came
        )
    }
}

extension String {
    fileprivate var trimmed: String {
        split(separator: " ").joined(separator: " ")
    }
}

extension WallTime {
    /// Seconds after ``FreshnessSample/start``.
    static func after(_ seconds: Int) -> WallTime {
        FreshnessSample.start + .seconds(seconds)
    }
}
