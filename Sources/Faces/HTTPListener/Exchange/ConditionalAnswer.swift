package import CalotypeHTTP

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
            let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
            response.headers.append(HeaderField("Content-Range", text))
        case .unsatisfiable(let count):
            Self.refuse(&response, 416)
            response.headers.append(HeaderField("Content-Range", "bytes */\(count)"))
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

/// The one range of bytes that a request asks for (RFC 9110, section 14).
enum ByteRange: Hashable {
    /// From the first to the last position, both counted from 0; without a last one to the end.
    case positions(first: Int, last: Int?)
    /// That many bytes at the end.
    case suffix(Int)

    /// Reads the value of a `Range` field; `nil` where it is not one range of bytes, and the field is passed over.
    ///
    /// Several ranges are passed over too, as the RFC allows (section 14.2): their answers are larger than the whole, and
    /// have been used to bring servers down.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = Self.trimmed(parts[1]).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = Self.number(ends[1]) else { return nil }
            self = .suffix(count)
            return
        }
        guard let first = Self.number(ends[0]) else { return nil }
        if ends[1].isEmpty {
            self = .positions(first: first, last: nil)
        } else {
            guard let last = Self.number(ends[1]), first <= last else { return nil }
            self = .positions(first: first, last: last)
        }
    }

    /// The part of `count` bytes that is meant; `nil` where there is none.
    func resolved(in count: Int) -> Range<Int>? {
        switch self {
        case .suffix(let length):
            return length > 0 && count > 0 ? max(0, count - length)..<count : nil
        case .positions(let first, let last):
            guard first < count else { return nil }
            return first..<min(count, last.map { $0 + 1 } ?? count)
        }
    }

    /// A number of any length: what is more than any body has is as good as the largest.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).map { min($0, largest) } ?? largest
    }

    private static let largest = 1 << 60

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}

/// The value of `If-Match` or `If-None-Match`: entity tags, or any.
package enum EntityTagList: Hashable {
    case any
    case tags([EntityTag])

    /// Reads the values of all fields of one name, as one list; `nil` where there is none.
    package init?(_ values: [String]) {
        guard !values.isEmpty else { return nil }
        if values.count == 1, values[0] == "*" {
            self = .any
        } else {
            self = .tags(values.flatMap { Self.tags(in: $0) })
        }
    }

    /// The tags between the commas; a comma may be part of a tag.
    private static func tags(in text: String) -> [EntityTag] {
        var isQuoted = false
        let parts = text.split(omittingEmptySubsequences: true) { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        return parts.compactMap { part in
            var part = part.drop { $0 == " " || $0 == "\t" }
            while part.last == " " || part.last == "\t" { part.removeLast() }
            return EntityTag(String(part))
        }
    }
}
