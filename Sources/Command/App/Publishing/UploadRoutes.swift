import CalotypeFiles
import CalotypeHTTP
import CalotypeHTTPListener

/// The routes for files that arrive in several requests, with the tus protocol (tus.io, "Resumable Upload Protocol 1.0.x")
/// and its extensions "creation" and "termination".
struct UploadRoutes: Sendable {
    private static let version = HeaderField("Tus-Resumable", "1.0.0")

    /// Returns publishing, or throws if it is disabled.
    private let publishing: @Sendable () throws(APIError) -> Publishing

    init(_ publishing: @escaping @Sendable () throws(APIError) -> Publishing) {
        self.publishing = publishing
    }

    var routes: [APIRoute] {
        [
            route("OPTIONS", "/publish/uploads") { _, _ in
                Self.response([
                    .init("Tus-Version", Self.version.value), .init("Tus-Extension", "creation,termination"),
                    .init("Tus-Max-Size", "\(FileShelf.Limits().file.bytes)"),
                ])
            },
            route("POST", "/publish/uploads") { try await create($0, $1) },
            route("GET", "/publish/uploads/{id}") { call, publishing in
                let (offset, length) = try publishing.files.upload(Self.id(call))
                var response = Self.response([
                    .init("Upload-Offset", "\(offset)"), .init("Upload-Length", "\(length)"),
                ])
                response.status = 200
                return response
            },
            route("PATCH", "/publish/uploads/{id}") { try await append($0, $1) },
            route("DELETE", "/publish/uploads/{id}") { call, publishing in
                try await publishing.files.removeUpload(Self.id(call))
                return Self.response()
            },
        ]
    }

    private func route(
        _ method: String,
        _ pattern: String,
        _ answer: @escaping @Sendable (APICall, Publishing) async throws -> OutgoingResponse
    ) -> APIRoute {
        APIRoute(method, pattern, body: .any, atMost: method == "PATCH" ? FileShelf.Limits().file : nil) {
            call in
            let publishing = try publishing()
            let isSupported = call.request.headers[Self.version.name] == Self.version.value
            var response: OutgoingResponse
            do {
                guard method == "OPTIONS" || isSupported else { throw APIError.otherVersion }
                response = try await answer(call, publishing)
            } catch {
                response = APIError(error).response
            }
            response.headers.append(Self.version)
            if response.status == 412 { response.headers.append(.init("Tus-Version", Self.version.value)) }
            return response
        }
    }

    private func create(_ call: APICall, _ publishing: Publishing) async throws -> OutgoingResponse {
        let length = try Self.number("Upload-Length", of: call)
        let name = try Self.fileName(call.request.headers["Upload-Metadata"] ?? "")
        try await publishing.files.sweep(needed: publishing.posts.neededFiles)
        let upload = try await publishing.files.create(name ?? "file", length: length)
        var response = Self.response([.init("Location", "/api/publish/uploads/\(upload.id)")])
        response.status = 201
        return response
    }

    private func append(_ call: APICall, _ publishing: Publishing) async throws -> OutgoingResponse {
        let offset = try Self.number("Upload-Offset", of: call)
        guard call.request.headers["Content-Type"] == "application/offset+octet-stream" else {
            throw APIError(415, "unsupported_media_type", "send the bytes as application/offset+octet-stream")
        }
        let arrived = try await publishing.files.append(to: Self.id(call), at: offset, call.request.body)
        return Self.response([.init("Upload-Offset", "\(arrived)")])
    }

    private static func response(_ fields: [HeaderField] = []) -> OutgoingResponse {
        var response = OutgoingResponse.nothing
        for field in fields { response.headers.append(field) }
        return response
    }

    private static func id(_ call: APICall) -> String { String(call.parameters["id"] ?? "") }

    private static func number(_ name: String, of call: APICall) throws(APIError) -> Int {
        let text = call.request.headers[name] ?? ""
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            throw APIError(400, "invalid_request", "\(name) must be a number of bytes")
        }
        return number
    }

    /// Returns the file's name in the metadata: keys with Base64 values, separated by commas.
    private static func fileName(_ metadata: String) throws(APIError) -> String? {
        for pair in metadata.split(separator: ",") {
            let words = pair.split(separator: " ")
            guard words.first == "filename" || words.first == "name", words.count == 2 else { continue }
            guard let bytes = Base64.decoded(Array(words[1].utf8)) else {
                throw APIError(400, "invalid_request", "Upload-Metadata must have Base64 values")
            }
            return String(decoding: bytes.prefix(1000), as: UTF8.self)
        }
        return nil
    }
}

extension APIError {
    fileprivate static let otherVersion = APIError(
        412,
        "wrong_version",
        "send the header field Tus-Resumable with the version 1.0.0"
    )
}
