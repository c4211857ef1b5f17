import CalotypeCore
import TaskFlow

/// How an upload begins.
enum TusCreation {
    static func create(_ call: Call) async throws -> Response {
        let length = try length(call)
        let metadata = call.request.fields["upload-metadata"] ?? ""
        guard let parsed = TusMetadata.parsed(metadata) else {
            throw Refusal.receiving(400, "Upload-Metadata has keys with Base64 values, separated by commas.")
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
        try uploads.withLock { uploads throws(Refusal) in try uploads.add(entry) }
        let location = ("Location", "\(root(call))/tus/\(id)")
        let piece = try await TusWriting.first(entry, call, hasBody: hasBody)
        return .bare(201, [location] + piece)
    }

    /// Whether the request brings the first piece.
    private static func hasPiece(_ call: Call, _ length: Int) throws(Refusal) -> Bool {
        guard call.request.bodyLength != 0 else { return false }
        guard call.request.fields["content-type"] == TusWriting.mediaType else {
            throw .receiving(415, "A piece has the type \(TusWriting.mediaType).")
        }
        if let count = call.request.bodyLength, count > length {
            throw .receiving(413, "The piece has \(count) bytes, more than the upload.")
        }
        return true
    }

    private static func length(_ call: Call) throws(Refusal) -> Int {
        guard let text = call.request.fields["upload-length"],
            text.utf8.allSatisfy({ (48...57).contains($0) }),
            let length = Int(text)
        else { throw .receiving(400, "Upload-Length must be told, in bytes.") }
        let limit = call.site.reception.store.limit.bytes
        guard length <= limit else { throw .receiving(413, "An upload has at most \(limit) bytes.") }
        return length
    }

    /// What the Location begins with: usually it is a path.
    private static func root(_ call: Call) -> String {
        let address = call.site.baseURL
        if call.suffers(.otherHost) {
            return "http://localhost\(address.drop { $0 != ":" }.dropFirst().drop { $0 != ":" })"
                + call.wish.root
        }
        return (call.suffers(.absolute) ? address : "") + call.wish.root
    }
}
