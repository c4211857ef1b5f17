import CalotypeHTTPMessages
import FoundationEssentials
import TaskFlow

/// Posts as JSON.
///
/// Each key creates one post.
enum PostService {
    private static let largestBytes = 1 << 20
    private static let largestKeyBytes = 255

    static let all: @Sendable (Call) async throws -> ResponseScript = { call in
        if call.request.method == "POST" { return try await make(call) }
        let posts = call.site.reception.posts.withLock(\.entries).filter { !$0.isDeleted }
        return try Response.encoding(posts.map(record)).script()
    }

    static let one: @Sendable (Call) async throws -> ResponseScript = { call in
        let number = call.values["ID"].flatMap { Int($0) } ?? 0
        if call.request.method == "DELETE" {
            guard call.site.reception.posts.withLock({ $0.delete(number) }) else { throw missing }
            return Response.bare(204).script()
        }
        guard let entry = call.site.reception.posts.withLock({ $0.entry(number) }) else { throw missing }
        return try Response.encoding(record(entry)).script()
    }

    static let byKey: @Sendable (Call) async throws -> ResponseScript = { call in
        let key = call.values["NAME"] ?? ""
        guard let entry = call.site.reception.posts.withLock({ $0.entry(key: key) }) else { throw missing }
        return try Response.encoding(record(entry)).script()
    }

    /// Returns the record of the post, even if the post was deleted.
    static func record(_ entry: PostBox.Entry) -> Received.Post {
        Received.Post(
            id: "\(entry.number)",
            key: entry.key,
            body: entry.body,
            sends: entry.sends,
            deleted: entry.isDeleted,
            at: entry.at
        )
    }

    private static func make(_ call: Call) async throws -> ResponseScript {
        let key = call.request.headers["Idempotency-Key"]
        guard (key?.utf8.count ?? 0) <= largestKeyBytes else {
            throw OriginError.receiving(400, "An Idempotency-Key must have at most \(largestKeyBytes) bytes.")
        }
        let bytes = try await call.collectedBody(atMost: largestBytes)
        // The reason why it is not JSON does not matter here.
        guard let body = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
            throw OriginError.receiving(400, "A post must be JSON.")
        }
        let isKeyless = call.suffers(.noKeys) || call.request.query("no-keys") == "1"
        let number = try call.site.reception.posts.withLock { posts throws(OriginError) in
            try posts.take(body, of: bytes.count, key: key, ignoringKeys: isKeyless, at: Timestamp.now())
        }
        let path = "\(call.selected.root)/posts/\(number)"
        var response = Response.json(
            .object([("id", .text("\(number)")), ("url", .text(call.site.baseURL + path))]),
            status: 201
        )
        response.fields.append(("Location", path))
        return response.script()
    }

    private static var missing: OriginError { .receiving(404, "There is no such post.") }
}

extension Call {
    /// Reads the whole body into memory.
    ///
    /// - Throws: 411 if its length is unknown, 413 if it is longer than `limit`.
    func collectedBody(atMost limit: Int) async throws -> [UInt8] {
        guard let body, let length = body.length else {
            throw OriginError.receiving(411, "The request needs a Content-Length.")
        }
        guard length <= limit else {
            throw OriginError.receiving(413, "The body has \(length) bytes; the limit is \(limit).")
        }
        var bytes: [UInt8] = []
        while let piece = try await body.next() { bytes += piece }
        return bytes
    }
}

extension Response {
    /// Returns a response with the value as JSON, its members named with underscores.
    static func encoding(_ value: some Encodable, status: Int = 200) throws -> Response {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var response = Response.json(.null, status: status)
        response.body = Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        return response
    }
}

/// The posts sent to `/posts`.
struct PostBox: Sendable {
    struct Entry: Sendable {
        let number: Int
        let key: String?
        let body: JSONValue
        let at: Double
        var sends = 1
        var isDeleted = false
    }

    private static let largestCount = 10_000
    private static let largestBytes = 16 << 20

    private(set) var entries: [Entry] = []
    private var numbers: [String: Int] = [:]
    private var bytes = 0

    /// Stores `body`, of `count` bytes, and returns the number of its post.
    ///
    /// Returns the earlier post with the same key, if there is one and keys are not ignored.
    ///
    /// - Throws: 422 if the key belongs to another body, 507 if there is no space.
    mutating func take(
        _ body: JSONValue,
        of count: Int,
        key: String?,
        ignoringKeys: Bool,
        at now: Double
    ) throws(OriginError) -> Int {
        if !ignoringKeys, let key, let number = numbers[key] {
            guard entries[number - 1].body == body else {
                throw .receiving(422, "This Idempotency-Key was used for another post.")
            }
            entries[number - 1].sends += 1
            return number
        }
        guard entries.count < Self.largestCount, bytes + count <= Self.largestBytes else {
            throw .receiving(507, "There is no space for more posts.")
        }
        let number = entries.count + 1
        entries.append(Entry(number: number, key: key, body: body, at: now))
        bytes += count
        if let key, numbers[key] == nil { numbers[key] = number }
        return number
    }

    /// Returns the post with this number, unless it was deleted.
    func entry(_ number: Int) -> Entry? {
        guard entries.indices.contains(number - 1), !entries[number - 1].isDeleted else { return nil }
        return entries[number - 1]
    }

    /// Returns the first post with this key, unless it was deleted.
    func entry(key: String) -> Entry? {
        numbers[key].flatMap { entry($0) }
    }

    /// Deletes the post with this number.
    ///
    /// Returns whether there was one.
    mutating func delete(_ number: Int) -> Bool {
        guard let entry = entry(number) else { return false }
        entries[number - 1].isDeleted = true
        if let key = entry.key, numbers[key] == number { numbers[key] = nil }
        return true
    }
}
