import CalotypeCore
import CalotypeDigests
import CalotypeHTTPMessages
import TaskFlow

/// Media that clients upload to paths of their choice.
enum InboxService {
    static let respond: @Sendable (Call) async throws -> ResponseScript = { call in
        guard let name = call.values["NAME"], !name.isEmpty else {
            throw OriginError.receiving(404, "Name the file: /inbox/NAME.")
        }
        switch call.request.method {
        case "GET", "HEAD": return try show(name, call)
        case "DELETE": return try delete(name, call)
        default: return try await put(name, call)
        }
    }

    private static func put(_ name: String, _ call: Call) async throws -> ResponseScript {
        let reception = call.site.reception
        let body = try call.mediumBody()
        let path = "/inbox/\(PercentEscapes.encodedPath(name))"
        try reception.inbox.withLock { inbox throws(OriginError) in
            try inbox.begin(name, path: path, at: Timestamp.now())
        }
        let file = reception.store.makeFile()
        let digest: String
        do {
            while let piece = try await body.next() { try await file.append(piece) }
            digest = try await file.digest(.sha256).hexadecimal
        } catch {
            let count = file.length
            file.discard()
            reception.inbox.withLock { $0.cut(name, bytes: count, at: Timestamp.now()) }
            throw error
        }
        let (outcome, surplus) = reception.inbox.withLock {
            $0.take(file, as: name, sha256: digest, at: Timestamp.now())
        }
        surplus?.discard()
        if surplus !== file { file.settle() }
        return answer(outcome, call.selected.root + path, name, file.length, digest, call).script()
    }

    private static func answer(
        _ outcome: Inbox.Outcome,
        _ path: String,
        _ name: String,
        _ length: Int,
        _ digest: String,
        _ call: Call
    ) -> Response {
        guard outcome != .replaced else { return .bare(204) }
        let told = JSONText.object([
            ("name", .text(name)), ("path", .text(path)), ("url", .text(call.site.baseURL + path)),
            ("length", .whole(length)), ("sha256", .text(digest)),
        ])
        var response = Response.json(told, status: outcome == .created ? 201 : 200)
        if outcome == .created { response.fields.append(("Location", path)) }
        return response
    }

    private static func show(_ name: String, _ call: Call) throws -> ResponseScript {
        guard let entry = call.site.reception.inbox.withLock({ $0.entry(name) }) else { throw missing }
        let type = ServedPicture.mediaType(ofName: name)
        if call.request.method == "HEAD" {
            // Known even after the bytes were discarded.
            let fields = [("Content-Type", type), ("ETag", "\"\(entry.record.sha256 ?? "")\"")]
            let response = Response(fields: fields, framing: .told(entry.record.length))
            return ResponseScript(status: 200, steps: [.send(response.head())])
        }
        return try ResponseScript.sending(entry.file, length: entry.record.length, type: type)
    }

    private static func delete(_ name: String, _ call: Call) throws -> ResponseScript {
        let (isThere, file) = call.site.reception.inbox.withLock { $0.delete(name) }
        guard isThere else { throw missing }
        file?.discard()
        return Response.bare(204).script()
    }

    private static var missing: OriginError { .receiving(404, "There is no file with this name.") }
}

extension Call {
    /// Returns the request's body, if it can be stored.
    ///
    /// - Throws: 411 if its length is unknown, 413 if it is too long.
    func mediumBody() throws(OriginError) -> RequestBody {
        guard let body, let length = body.length else {
            throw .receiving(411, "The request needs a Content-Length.")
        }
        let limit = site.reception.store.limit
        guard length <= limit.bytes else {
            throw .receiving(413, "The body has \(length) bytes; the limit is \(limit.bytes).")
        }
        return body
    }
}

extension ResponseScript {
    /// Returns the response with the received bytes.
    ///
    /// - Throws: 410 if only their length and digest are still known.
    static func sending(
        _ file: ReceivedFile?,
        length: Int,
        type: String
    ) throws(OriginError) -> ResponseScript {
        guard let file, file.isReadable else {
            throw .receiving(410, "Only the length and the digest were kept.")
        }
        let response = Response(fields: [("Content-Type", type)], framing: .told(length))
        return ResponseScript(status: 200, steps: [.send(response.head()), .contents(file)])
    }
}

/// The media uploaded below `/inbox`.
struct Inbox: Sendable {
    /// The result of a complete upload.
    enum Outcome: Sendable {
        case created, same, replaced
    }

    struct Entry: Sendable {
        var record: Received.Medium
        var file: ReceivedFile?
    }

    private static let largestCount = 10_000

    private var entries: [String: Entry] = [:]
    private var names: [String] = []

    var records: [Received.Medium] { names.compactMap { entries[$0]?.record } }

    /// Returns the medium called `name`, unless it was deleted or no upload was complete.
    func entry(_ name: String) -> Entry? {
        entries[name].flatMap { $0.record.sha256 == nil || $0.record.deleted ? nil : $0 }
    }

    /// Records that a body for `name` begins.
    mutating func begin(_ name: String, path: String, at now: Double) throws(OriginError) {
        guard entries[name] == nil else { return }
        guard names.count < Self.largestCount else {
            throw .receiving(507, "There are already \(Self.largestCount) files, which is the maximum.")
        }
        names.append(name)
        entries[name] = Entry(record: Received.Medium(path: path, firstAt: now, lastAt: now))
    }

    /// Records that a body for `name` was cut off after `bytes`.
    mutating func cut(_ name: String, bytes: Int, at now: Double) {
        entries[name]?.record.hangUps += 1
        entries[name]?.record.bytesReceived += bytes
        entries[name]?.record.lastAt = now
    }

    /// Stores `file` as the medium called `name`.
    ///
    /// Also returns the file that is no longer needed.
    mutating func take(
        _ file: ReceivedFile,
        as name: String,
        sha256: String,
        at now: Double
    ) -> (Outcome, surplus: ReceivedFile?) {
        guard var entry = entries[name] else { preconditionFailure("a body ended that never began") }
        let isThere = entry.record.sha256 != nil && !entry.record.deleted
        let isSame = isThere && entry.record.sha256 == sha256
        // The new file replaces bytes that were discarded.
        let surplus = isSame && entry.file?.isReadable == true ? file : entry.file
        if surplus !== file { entry.file = file }
        entry.record.puts += 1
        entry.record.created += isThere ? 0 : 1
        entry.record.replaced += isThere && !isSame ? 1 : 0
        entry.record.length = file.length
        entry.record.sha256 = sha256
        entry.record.deleted = false
        entry.record.bytesReceived += file.length
        entry.record.lastAt = now
        entries[name] = entry
        return (isSame ? .same : isThere ? .replaced : .created, surplus)
    }

    /// Deletes the medium called `name`.
    ///
    /// Returns whether there was one, and its file.
    mutating func delete(_ name: String) -> (Bool, ReceivedFile?) {
        guard let entry = entry(name) else { return (false, nil) }
        entries[name]?.record.deleted = true
        entries[name]?.file = nil
        return (true, entry.file)
    }
}
