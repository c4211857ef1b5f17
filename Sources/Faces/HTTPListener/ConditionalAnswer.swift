import CalotypeHTTP

/// What the conditions and the range of a request make of a 200 answer (RFC 9110, sections 13 and 14).
enum ConditionalAnswer: Hashable {
    /// As it is.
    case unchanged
    /// The client has it already: 304.
    case notModified
    /// It is not what the client took it for: 412.
    case preconditionFailed
    /// Some of its bytes: 206.
    case partial(Range<Int>, of: Int)
    /// There are no such bytes: 416.
    case unsatisfiable(of: Int)

    /// Decides in the order of RFC 9110, section 13.2.2.
    init(_ response: OutgoingResponse, to request: IncomingRequest, now: WallTime) {
        guard response.status == 200, request.method == "GET" || request.method == "HEAD" else {
            self = .unchanged
            return
        }
        let state = State(response.headers, now)
        if state.failsPrecondition(request.headers) {
            self = .preconditionFailed
        } else if state.isKnown(to: request.headers) {
            self = .notModified
        } else {
            self = Self.range(response, request, state)
        }
    }

    /// The bytes that are sent; `nil` for all.
    var range: Range<Int>? {
        if case .partial(let range, _) = self { range } else { nil }
    }

    /// Turns the 200 answer into what this is.
    func apply(to response: inout OutgoingResponse) {
        switch self {
        case .unchanged:
            guard response.status == 200, case .bytes = response.body,
                response.headers["Accept-Ranges"] == nil
            else {
                return
            }
            response.headers.append(HTTPHeaders.Field(unchecked: "Accept-Ranges", "bytes"))
        case .notModified:
            response.status = 304
            for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Disposition"] {
                response.headers.removeAll(name)
            }
        case .preconditionFailed:
            Self.refuse(&response, 412)
        case .partial(let range, let count):
            response.status = 206
            let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
            response.headers.append(HTTPHeaders.Field(unchecked: "Content-Range", text))
        case .unsatisfiable(let count):
            Self.refuse(&response, 416)
            response.headers.append(HTTPHeaders.Field(unchecked: "Content-Range", "bytes */\(count)"))
        }
    }

    private static func refuse(_ response: inout OutgoingResponse, _ status: Int) {
        response.status = status
        response.body = .none
        for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Disposition"] {
            response.headers.removeAll(name)
        }
        // A refusal is not the picture, and no cache may keep it for that long.
        for name in ["Cache-Control", "Expires"] { response.headers.removeAll(name) }
    }

    private static func range(
        _ response: OutgoingResponse,
        _ request: IncomingRequest,
        _ state: State
    ) -> ConditionalAnswer {
        let values = request.headers.values(of: "Range")
        guard request.method == "GET", case .bytes(let bytes) = response.body, !bytes.isEmpty,
            values.count == 1,
            let range = ByteRange(values[0]), state.allowsRange(request.headers)
        else { return .unchanged }
        guard let positions = range.resolved(in: bytes.count) else { return .unsatisfiable(of: bytes.count) }
        return .partial(positions, of: bytes.count)
    }
}

/// The validators of an answer.
private struct State {
    private let answer: HTTPHeaders
    private let now: WallTime

    init(_ answer: HTTPHeaders, _ now: WallTime) {
        self.answer = answer
        self.now = now
    }

    // Read only for the requests that have a condition.
    private var tag: EntityTag? { answer["ETag"].flatMap(EntityTag.init) }
    private var changed: WallTime? { answer.moment("Last-Modified", now: now) }

    /// Whether `If-Match` or, without it, `If-Unmodified-Since` does not hold.
    func failsPrecondition(_ headers: HTTPHeaders) -> Bool {
        switch EntityTagList(headers.values(of: "If-Match")) {
        case .any: return false
        case .tags(let tags):
            let tag = tag
            return !tags.contains { tag?.matchesStrongly($0) == true }
        case nil: break
        }
        guard let moment = headers.moment("If-Unmodified-Since", now: now), let changed else { return false }
        return changed > moment
    }

    /// Whether `If-None-Match` or, without it, `If-Modified-Since` tells that the client has the answer.
    func isKnown(to headers: HTTPHeaders) -> Bool {
        switch EntityTagList(headers.values(of: "If-None-Match")) {
        case .any: return true
        case .tags(let tags):
            let tag = tag
            return tags.contains { tag?.matches($0) == true }
        case nil: break
        }
        guard let moment = headers.moment("If-Modified-Since", now: now), let changed else { return false }
        return changed <= moment
    }

    /// Whether `If-Range`, where there is one, names these very bytes.
    func allowsRange(_ headers: HTTPHeaders) -> Bool {
        let values = headers.values(of: "If-Range")
        guard let text = values.first else { return true }
        guard values.count == 1 else { return false }
        if text.hasPrefix("\"") || text.hasPrefix("W/") {
            return tag.flatMap { tag in EntityTag(text).map(tag.matchesStrongly) } ?? false
        }
        // A date tells two versions apart only where both cannot be of the same second.
        guard let changed, let moment = headers.moment("If-Range", now: now) else { return false }
        return changed == moment && now - changed >= .seconds(1)
    }
}
