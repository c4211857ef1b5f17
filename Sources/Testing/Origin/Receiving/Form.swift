import CalotypeHTTPMessages
import FoundationEssentials

/// The fields of a form, whatever its type: URL-encoded, multipart or JSON.
struct Form: Sendable {
    /// A file of a multipart form.
    struct File: Sendable {
        let name: String
        let mediaType: String?
        let file: ReceivedFile
    }

    private static let largestValue = 64 << 10
    private static let largestBody = 1 << 20

    /// The values by name, in their order.
    ///
    /// `media_ids[]` keeps its brackets in every type.
    private(set) var values: [String: [String]] = [:]
    private(set) var files: [String: File] = [:]

    /// Returns the first value called `name`, unless it is empty.
    func value(_ name: String) -> String? {
        values[name]?.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Discards the files.
    func discardFiles() {
        for file in files.values { file.file.discard() }
    }

    /// Reads the body of `call`.
    ///
    /// - Parameters:
    ///   - call: the request.
    ///   - fileLimit: the maximum size of a multipart body in bytes.
    /// - Returns: the form, whose files the caller discards or settles.
    /// - Throws: 400 if it is invalid, 413 if it is too long, and what reading throws.
    static func read(_ call: Call, fileLimit: Int = largestBody) async throws -> Form {
        let type = call.request.headers["Content-Type"] ?? ""
        if type.lowercased().hasPrefix("multipart/form-data") {
            return try await multipart(call, type, fileLimit)
        }
        let bytes = try await call.collectedBody(atMost: largestBody)
        var form = Form()
        if type.lowercased().hasPrefix("application/json") {
            try form.addJSON(bytes)
        } else {
            form.addEncoded(bytes)
        }
        return form
    }

    private static func multipart(_ call: Call, _ type: String, _ limit: Int) async throws -> Form {
        guard let boundary = PartHead.parameter("boundary", in: type), !boundary.isEmpty else {
            throw OriginError.receiving(400, "The form has no boundary.")
        }
        guard let body = call.body, let length = body.length else {
            throw OriginError.receiving(411, "The request needs a Content-Length.")
        }
        guard length <= limit else { throw OriginError.receiving(413, "The body is too long.") }
        var form = Form()
        do {
            var reader = MultipartReader(boundary: boundary)
            var part: PartHead?
            while let piece = try await body.next() {
                for event in try events(piece, &reader) {
                    try await form.take(event, &part, call.site.reception.store)
                }
            }
            guard reader.isAtEnd else { throw OriginError.receiving(400, "The form is incomplete.") }
        } catch {
            form.discardFiles()
            throw error
        }
        return form
    }

    private static func events(
        _ piece: [UInt8],
        _ reader: inout MultipartReader
    ) throws(OriginError) -> [MultipartReader.Event] {
        do throws(HTTPMessageError) { return try reader.read(piece) } catch {
            throw .receiving(400, error.message)
        }
    }

    private mutating func take(
        _ event: MultipartReader.Event,
        _ part: inout PartHead?,
        _ store: FileStore
    ) async throws {
        switch event {
        case .part(let head):
            part = head
            if let name = head.fileName {
                guard files[head.name] == nil else { throw OriginError.receiving(400, "A file is repeated.") }
                files[head.name] = File(name: name, mediaType: head.mediaType, file: store.makeFile())
            } else {
                values[head.name, default: []].append("")
            }
        case .data(let bytes):
            guard let part else { return }
            if part.fileName != nil {
                try await files[part.name]?.file.append(bytes)
            } else {
                try append(bytes, to: part.name)
            }
        case .partEnd: part = nil
        }
    }

    private mutating func append(_ bytes: [UInt8], to name: String) throws {
        guard var list = values[name], var value = list.popLast() else { return }
        value += String(decoding: bytes, as: UTF8.self)
        guard value.utf8.count <= Self.largestValue else {
            throw OriginError.receiving(413, "A field is too long.")
        }
        values[name] = list + [value]
    }

    private mutating func addEncoded(_ bytes: [UInt8]) {
        for case (let name, let value)? in FormPairs.decoded(bytes) {
            values[name, default: []].append(value)
        }
    }

    private mutating func addJSON(_ bytes: [UInt8]) throws(OriginError) {
        // The reason why it is not JSON does not matter here.
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)),
            case .object(let members) = value
        else { throw .receiving(400, "Error occurred while parsing request parameters") }
        for (name, member) in members {
            if let list = member.list {
                values["\(name)[]"] = list.compactMap(Self.text)
            } else if let text = Self.text(member) {
                values[name] = [text]
            }
        }
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .text(let text): text
        case .whole(let number): "\(number)"
        case .number(let number): "\(number)"
        case .truth(let truth): "\(truth)"
        case .null, .list, .object: nil
        }
    }
}
