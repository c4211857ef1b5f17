import CalotypeHTTPMessages

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
        let conditions = Preconditions(response.headers, now: now)
        if conditions.fail(for: request.headers) {
            self = .preconditionFailed
        } else if conditions.isKnown(to: request.headers) {
            self = .notModified
        } else {
            self = Self.range(response, request, conditions)
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
            response.headers.append(HeaderField("Accept-Ranges", "bytes"))
        case .notModified:
            response.status = 304
            for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Disposition"] {
                response.headers.removeAll(name)
            }
        case .preconditionFailed:
            Self.refuse(&response, 412)
        case .partial(let range, let count):
            response.status = 206
            response.headers.append(HeaderField("Content-Range", ContentRange(range, of: count).text))
        case .unsatisfiable(let count):
            Self.refuse(&response, 416)
            response.headers.append(HeaderField("Content-Range", ContentRange(nil, of: count).text))
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
        _ conditions: Preconditions
    ) -> ConditionalAnswer {
        let values = request.headers.values(of: "Range")
        guard request.method == "GET", case .bytes(let bytes) = response.body, !bytes.isEmpty,
            values.count == 1,
            let range = ByteRange(values[0]), conditions.allowRange(for: request.headers)
        else { return .unchanged }
        guard let positions = range.resolved(in: bytes.count) else { return .unsatisfiable(of: bytes.count) }
        return .partial(positions, of: bytes.count)
    }
}
