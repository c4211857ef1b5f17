import CalotypeDigests
import CalotypeHTTPMessages
import FoundationEssentials
import TaskFlow

/// Appends pieces to an upload.
enum TusWriting {
    static let mediaType = "application/offset+octet-stream"

    static func patch(_ id: String, _ call: Call) async throws -> Response {
        try TusService.refuseAsLocked(id, call)
        var entry = try TusService.claimed(id, call)
        entry.record.patches += 1
        do {
            try check(call, entry)
            try await suffer(call, &entry)
            try await write(call, &entry)
        } catch {
            if case OriginError.refused(let response) = error, response.status == 409 {
                entry.record.conflicts += 1
            }
            TusService.giveBack(entry, call)
            throw error
        }
        TusService.giveBack(entry, call)
        return .bare(204, fields(entry))
    }

    /// Stores the piece sent with a creation.
    ///
    /// Also completes an upload without bytes.
    static func first(
        _ new: TusUploads.Entry,
        _ call: Call,
        hasBody: Bool
    ) async throws -> [(name: String, value: String)] {
        var entry = new
        do {
            try await write(call, &entry)
        } catch {
            TusService.giveBack(entry, call)
            throw error
        }
        TusService.giveBack(entry, call)
        return hasBody ? fields(entry) : entry.expiryFields
    }

    private static func fields(_ entry: TusUploads.Entry) -> [(name: String, value: String)] {
        let offset = entry.faults.told(entry.file.length, of: entry.record.length)
        return [("Upload-Offset", "\(offset)")] + entry.expiryFields
    }

    private static func check(_ call: Call, _ entry: TusUploads.Entry) throws(OriginError) {
        guard call.request.headers["Content-Type"] == mediaType else {
            throw .receiving(415, "The body must have the type \(mediaType).")
        }
        guard let offset = call.request.headers["Upload-Offset"].flatMap({ Int($0) }), offset >= 0 else {
            throw .receiving(400, "Upload-Offset is missing.")
        }
        let isRefused = call.suffers(.conflict)
        guard offset == entry.file.length, !isRefused else {
            throw .receiving(409, "The body does not begin where the upload ends.")
        }
        guard let count = call.request.bodyLength else {
            throw .receiving(411, "The request needs a Content-Length.")
        }
        guard count <= entry.record.length - offset else {
            throw .receiving(413, "The body has \(count) bytes, more than the upload still needs.")
        }
    }

    /// Loses received bytes, or prepares to lose them, if the path selects this fault.
    private static func suffer(_ call: Call, _ entry: inout TusUploads.Entry) async throws {
        if entry.faults.goneStatus != nil { call.body?.end(afterPercent: 50, isSilent: false) }
        guard entry.faults.rewindSteps > 0, call.request.bodyLength != 0 else { return }
        entry.faults.rewindSteps -= 1
        guard entry.faults.rewindSteps % 2 == 0 else {
            call.body?.end(afterPercent: 50, isSilent: false)
            return
        }
        try await entry.file.truncate(to: entry.file.length / 2)
        throw OriginError.receiving(409, "Some of the received data is lost, as requested.")
    }

    private static func write(_ call: Call, _ entry: inout TusUploads.Entry) async throws {
        let start = entry.file.length
        let checksum = try TusChecksum.of(call.request)
        do {
            while let piece = try await call.body?.next() { try await entry.file.append(piece) }
        } catch {
            entry.record.hangUps += 1
            entry.record.bytesReceived += call.body?.taken ?? 0
            // Bytes that arrived only in part cannot be compared with their digest.
            if checksum != nil { try await entry.file.truncate(to: start) }
            if let status = entry.faults.goneStatus { lose(&entry, status) }
            try await completeIfWhole(&entry, call)
            throw error
        }
        entry.record.bytesReceived += call.body?.taken ?? 0
        if let checksum, try await entry.file.digest(checksum.function, from: start).bytes != checksum.bytes {
            try await entry.file.truncate(to: start)
            throw OriginError.receiving(460, "The body does not match its digest.")
        }
        try await completeIfWhole(&entry, call)
    }

    private static func lose(_ entry: inout TusUploads.Entry, _ status: Int) {
        entry.goneStatus = status
        entry.record.offset = entry.file.length
        entry.record.expired = true
        entry.file.discard()
    }

    private static func completeIfWhole(_ entry: inout TusUploads.Entry, _ call: Call) async throws {
        entry.expiry = Timestamp.now() + call.site.reception.uploads.withLock(\.lifetime)
        guard entry.file.length == entry.record.length, entry.goneStatus == nil, !entry.record.complete else {
            return
        }
        entry.record.sha256 = try await entry.file.digest(.sha256).hexadecimal
        entry.record.complete = true
        entry.file.settle()
    }
}

/// The digest that a client sends with a piece.
struct TusChecksum: Sendable {
    static let names = ["sha1", "sha256", "md5"]

    let function: DigestFunction
    let bytes: [UInt8]

    /// Parses the Upload-Checksum of a request, or returns `nil` if there is none.
    ///
    /// - Throws: 400 if it is invalid.
    static func of(_ request: RequestHead) throws(OriginError) -> TusChecksum? {
        guard let text = request.headers["Upload-Checksum"] else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 2, let data = Data(base64Encoded: String(words[1])) else {
            throw .receiving(400, "Upload-Checksum must be a name and a digest in Base64.")
        }
        let function: DigestFunction
        switch words[0] {
        case "sha1": function = .sha1
        case "sha256": function = .sha256
        case "md5": function = .md5
        default: throw .receiving(400, "The digest must be one of \(names.joined(separator: ", ")).")
        }
        return TusChecksum(function: function, bytes: Array(data))
    }
}
