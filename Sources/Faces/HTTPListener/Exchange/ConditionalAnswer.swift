import CalotypeHTTPMessages

/// The effect of a request's conditions and range on a 200 response (RFC 9110, sections 13 and 14).
enum ConditionalAnswer: Hashable {
    /// No effect.
    case unchanged
    /// The client has the current version: 304.
    case notModified
    /// A precondition of the client fails: 412.
    case preconditionFailed
    /// Only a range of the bytes: 206.
    case partial(Range<Int>, of: Int)
    /// The range does not exist: 416.
    case unsatisfiable(of: Int)

    /// Evaluates the conditions in the order of RFC 9110, section 13.2.2.
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

    /// The range of bytes to send; `nil` for all.
    var range: Range<Int>? {
        if case .partial(let range, _) = self { range } else { nil }
    }

    /// Changes the 200 response accordingly.
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
        // This response is not the image, so caches must not store it for as long as the image.
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
