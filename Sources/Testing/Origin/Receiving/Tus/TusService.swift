import CalotypeCore
import CalotypeHTTPMessages
import FoundationEssentials
import TaskFlow

/// Resumable uploads with the tus protocol 1.0 (tus.io, "Resumable Upload Protocol 1.0.x").
enum TusService {
    static let extensions = "creation,creation-with-upload,expiration,termination,checksum"
    private static let version = ("Tus-Resumable", "1.0.0")

    static let respond: @Sendable (Call) async throws -> ResponseScript = { call in
        let method = call.request.headers["X-HTTP-Method-Override"] ?? call.request.method
        do {
            return try await response(method, call)
        } catch OriginError.refused(var response) {
            response.fields.append(version)
            throw OriginError.refused(response)
        }
    }

    private static func response(_ method: String, _ call: Call) async throws -> ResponseScript {
        if method == "OPTIONS" { return options(call).script() }
        let id = call.values["ID"]
        if method == "GET", let id { return try contents(id, call) }
        guard call.request.headers["Tus-Resumable"] == version.1 else {
            throw OriginError.receiving(
                412,
                "Tus-Resumable must be 1.0.0.",
                fields: [("Tus-Version", version.1)]
            )
        }
        var response: Response
        switch (method, id) {
        case ("POST", nil): response = try await TusCreation.create(call)
        case ("HEAD", let id?): response = try head(id, call)
        case ("PATCH", let id?): response = try await TusWriting.patch(id, call)
        case ("DELETE", let id?): response = try terminate(id, call)
        default:
            throw OriginError.refused(
                .refusal(listing: id == nil ? ["POST", "OPTIONS"] : TusService.methods)
            )
        }
        response.fields.append(version)
        return response.script()
    }

    private static let methods = ["HEAD", "PATCH", "DELETE", "GET", "OPTIONS"]

    private static func options(_ call: Call) -> Response {
        .bare(
            204,
            [
                version, ("Tus-Version", version.1), ("Tus-Extension", extensions),
                ("Tus-Max-Size", "\(call.site.reception.store.limit.bytes)"),
                ("Tus-Checksum-Algorithm", TusChecksum.names.joined(separator: ",")),
            ]
        )
    }

    private static func head(_ id: String, _ call: Call) throws -> Response {
        try refuseAsLocked(id, call)
        var entry = try claimed(id, call)
        entry.record.heads += 1
        giveBack(entry, call)
        let length = entry.record.length
        var response = Response.bare(
            200,
            [
                ("Upload-Offset", "\(entry.faults.told(entry.file.length, of: length))"),
                ("Upload-Length", "\(length)"), ("Cache-Control", "no-store"),
            ]
        )
        if !entry.metadata.isEmpty { response.fields.append(("Upload-Metadata", entry.metadata)) }
        response.fields += entry.expiryFields
        return response
    }

    private static func terminate(_ id: String, _ call: Call) throws -> Response {
        var entry = try claimed(id, call)
        entry.goneStatus = 404
        entry.record.offset = entry.file.length
        entry.record.deleted = true
        entry.file.discard()
        giveBack(entry, call)
        return .bare(204)
    }

    private static func contents(_ id: String, _ call: Call) throws -> ResponseScript {
        let entry = try claimed(id, call)
        giveBack(entry, call)
        guard entry.record.complete else { throw OriginError.receiving(409, "This upload is incomplete.") }
        let type = entry.record.metadata["filetype"] ?? ""
        let isPlain = !type.isEmpty && type.utf8.allSatisfy { (33...126).contains($0) }
        return try .sending(
            entry.file,
            length: entry.record.length,
            type: isPlain ? type : "application/octet-stream"
        )
    }
}

extension TusService {
    /// Claims the upload for this request; see ``TusUploads/claim(_:)``.
    static func claimed(_ id: String, _ call: Call) throws(OriginError) -> TusUploads.Entry {
        let uploads = call.site.reception.uploads
        let now = Timestamp.now()
        uploads.withLock { $0.expire(id, at: now) }?.discard()
        var entry = try uploads.withLock { uploads throws(OriginError) in try uploads.claim(id) }
        if call.request.headers["Authorization"] != nil { entry.record.withAuthorization += 1 }
        return entry
    }

    static func giveBack(_ entry: TusUploads.Entry, _ call: Call) {
        call.site.reception.uploads.withLock { $0.giveBack(entry, at: Timestamp.now()) }
        call.site.reception.changed()
    }

    /// Refuses with 423, as if another client were writing, if the path selects this fault.
    static func refuseAsLocked(_ id: String, _ call: Call) throws(OriginError) {
        guard call.suffers(.locked, counting: id) else { return }
        throw .receiving(423, "Another request is writing to this upload, as requested.")
    }
}

extension TusUploads.Entry {
    /// The fields with the upload's expiry; none if it is complete.
    var expiryFields: [(name: String, value: String)] {
        record.complete ? [] : [("Upload-Expires", WallTime(secondsSince1970: Int(expiry)).httpText)]
    }
}

/// Creates uploads.
enum TusCreation {
    static func create(_ call: Call) async throws -> Response {
        let length = try length(call)
        let metadata = call.request.headers["Upload-Metadata"] ?? ""
        guard let parsed = TusMetadata.parsed(metadata) else {
            throw OriginError.receiving(
                400,
                "Upload-Metadata must be keys with Base64 values, separated by commas."
            )
        }
        let hasBody = try hasPiece(call, length)
        let uploads = call.site.reception.uploads
        let now = Timestamp.now()
        for file in uploads.withLock({ $0.expire(at: now) }) { file.discard() }
        let id = String(UInt64.random(in: .min ... .max), radix: 36)
        let entry = TusUploads.Entry(
            record: Received.Upload(id: id, path: "/tus/\(id)", length: length, metadata: parsed, at: now),
            file: call.site.reception.store.makeFile(),
            metadata: metadata,
            expiry: now + uploads.withLock(\.lifetime),
            faults: TusFaults(call)
        )
        try uploads.withLock { uploads throws(OriginError) in try uploads.add(entry) }
        let location = ("Location", "\(root(call))/tus/\(id)")
        let piece = try await TusWriting.first(entry, call, hasBody: hasBody)
        return .bare(201, [location] + piece)
    }

    /// Whether the request carries the first piece.
    private static func hasPiece(_ call: Call, _ length: Int) throws(OriginError) -> Bool {
        guard call.request.bodyLength != 0 else { return false }
        guard call.request.headers["Content-Type"] == TusWriting.mediaType else {
            throw .receiving(415, "The body must have the type \(TusWriting.mediaType).")
        }
        if let count = call.request.bodyLength, count > length {
            throw .receiving(413, "The body has \(count) bytes, more than the upload.")
        }
        return true
    }

    private static func length(_ call: Call) throws(OriginError) -> Int {
        guard let text = call.request.headers["Upload-Length"],
            text.utf8.allSatisfy({ (48...57).contains($0) }),
            let length = Int(text)
        else { throw .receiving(400, "Upload-Length is missing.") }
        let limit = call.site.reception.store.limit.bytes
        guard length <= limit else { throw .receiving(413, "An upload must have at most \(limit) bytes.") }
        return length
    }

    /// The prefix of the Location: usually a path.
    private static func root(_ call: Call) -> String {
        let address = call.site.baseURL
        if call.suffers(.otherHost) {
            return "http://localhost\(address.drop { $0 != ":" }.dropFirst().drop { $0 != ":" })"
                + call.selected.root
        }
        return (call.suffers(.absolute) ? address : "") + call.selected.root
    }
}

/// Upload metadata: keys, each with a value in Base64 or none.
enum TusMetadata {
    /// Returns the values by key, or `nil` if the text is invalid.
    static func parsed(_ text: String) -> [String: String]? {
        var values: [String: String] = [:]
        for pair in text.split(separator: ",") {
            let words = pair.split(separator: " ")
            guard let key = words.first, words.count <= 2, values[String(key)] == nil else { return nil }
            guard let data = Data(base64Encoded: words.count == 2 ? String(words[1]) : "") else { return nil }
            values[String(key)] = String(decoding: data, as: UTF8.self)
        }
        return values
    }
}
