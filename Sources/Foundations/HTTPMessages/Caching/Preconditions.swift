/// The conditions of a request, checked against the validators of the response (RFC 9110, section 13).
package struct Preconditions: Sendable {
    private let response: HTTPHeaders
    private let now: WallTime

    /// Creates the checks for a response with these fields, sent `now`.
    package init(_ response: HTTPHeaders, now: WallTime) {
        self.response = response
        self.now = now
    }

    // Read only for requests that have a condition.
    private var tag: EntityTag? { response["ETag"].flatMap(EntityTag.init) }
    private var changed: WallTime? { response.moment("Last-Modified", now: now) }

    /// Whether `If-Match` or, without it, `If-Unmodified-Since` fails.
    package func fail(for request: HTTPHeaders) -> Bool {
        switch EntityTagList(request.values(of: "If-Match")) {
        case .any: return false
        case .tags(let tags):
            let tag = tag
            return !tags.contains { tag?.matchesStrongly($0) == true }
        case nil: break
        }
        guard let moment = request.moment("If-Unmodified-Since", now: now), let changed else { return false }
        return changed > moment
    }

    /// Whether `If-None-Match` or, without it, `If-Modified-Since` shows that the client has the response.
    package func isKnown(to request: HTTPHeaders) -> Bool {
        switch EntityTagList(request.values(of: "If-None-Match")) {
        case .any: return true
        case .tags(let tags):
            let tag = tag
            return tags.contains { tag?.matches($0) == true }
        case nil: break
        }
        guard let moment = request.moment("If-Modified-Since", now: now), let changed else { return false }
        return changed <= moment
    }

    /// Whether `If-Range` identifies exactly these bytes, or is missing.
    package func allowRange(for request: HTTPHeaders) -> Bool {
        let values = request.values(of: "If-Range")
        guard let text = values.first else { return true }
        guard values.count == 1 else { return false }
        if text.hasPrefix("\"") || text.hasPrefix("W/") {
            return tag.flatMap { tag in EntityTag(text).map(tag.matchesStrongly) } ?? false
        }
        // A date distinguishes two versions only if they cannot be from the same second.
        guard let changed, let moment = request.moment("If-Range", now: now) else { return false }
        return changed == moment && now - changed >= .seconds(1)
    }
}
