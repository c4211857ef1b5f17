import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypePublish

/// The routes for files, posts and the progress of publications.
struct PublishRoutes: Sendable {
    private struct Profiles: Encodable {
        struct Profile: Encodable {
            let name: String
            let kind: String
            let host: String
        }
        let profiles: [Profile]
    }

    /// The limits of a profile's server; `null` for one that the server did not report.
    private struct Limits: Encodable {
        @Nullable var media: Int?
        @Nullable var types: [String]?
        @Nullable var textCharacters: Int?
        @Nullable var linkCharacters: Int?
        @Nullable var altTextCharacters: Int?
        @Nullable var visibilities: [String]?
        let contentWarnings: Bool
        let focusPoints: Bool

        init(_ limits: MediaLimits) {
            media = limits.count
            types = limits.types?.sorted()
            textCharacters = limits.textCharacters
            linkCharacters = limits.linkCharacters
            altTextCharacters = limits.altTextCharacters
            visibilities = limits.visibilities?.map(\.rawValue).sorted()
            contentWarnings = limits.supportsContentWarnings
            focusPoints = limits.supportsFocus
        }
    }

    private struct Files: Encodable {
        let files: [FileDocument]
    }

    private struct Posts: Encodable {
        let posts: [PostDocument]
    }

    let services: AppServices
    /// `nil` if publishing is disabled.
    let publishing: Publishing?

    var routes: [APIRoute] {
        [
            APIRoute("GET", "/publish/profiles") { _ in profiles },
            APIRoute("GET", "/publish/profiles/{name}/limits") { call in
                .json(Limits(try await ready().limits(of: call.parameters["name"])))
            },
        ] + fileRoutes + UploadRoutes(ready).routes + postRoutes
    }

    private var profiles: OutgoingResponse {
        let profiles = publishing == nil ? [:] : services.configuration.profiles
        return .json(
            Profiles(
                profiles: profiles.sorted { $0.key < $1.key }.map { name, profile in
                    .init(name: name, kind: profile.address.kind.rawValue, host: profile.address.url.host)
                }
            )
        )
    }

    @Sendable private func ready() throws(APIError) -> Publishing {
        guard let publishing else {
            throw APIError(
                404,
                "publishing_off",
                "publishing is disabled; start the server with --publish-profile NAME"
            )
        }
        return publishing
    }

    // MARK: Files

    private var fileRoutes: [APIRoute] {
        [
            APIRoute("POST", "/publish/files", body: .any, atMost: FileShelf.Limits().file) { call in
                try await receive(call)
            },
            APIRoute("GET", "/publish/files") { _ in
                .json(Files(files: try ready().files.files.map { FileDocument($0) }))
            },
            APIRoute("GET", "/publish/files/{id}") { .json(FileDocument(try file($0))) },
            APIRoute("DELETE", "/publish/files/{id}") { try await remove($0) },
            APIRoute("GET", "/publish/files/{id}/thumbnail") { try await thumbnail($0) },
        ]
    }

    private func receive(_ call: APICall) async throws -> OutgoingResponse {
        let publishing = try ready()
        let name = try call.query().text("name", atMost: 1000) ?? "file"
        try await publishing.files.sweep(needed: publishing.posts.neededFiles)
        let file = try await publishing.files.receive(name, call.request.body)
        var response = OutgoingResponse.json(FileDocument(file))
        response.status = 201
        return response
    }

    private func file(_ call: APICall) throws(APIError) -> StoredFile {
        guard let id = call.parameters["id"], let file = try ready().files[String(id)] else {
            throw APIError(404, "not_found", "this file no longer exists")
        }
        return file
    }

    private func remove(_ call: APICall) async throws -> OutgoingResponse {
        let publishing = try ready()
        let file = try file(call)
        let isUsed = publishing.posts.entries.contains { entry in
            entry.post.state == .running && entry.post.media.contains { $0.file == file.id }
        }
        guard !isUsed else {
            throw APIError(409, "file_in_use", "a post with \(file.name) is being published; cancel it first")
        }
        try await publishing.files.remove(file)
        return .nothing
    }

    private func thumbnail(_ call: APICall) async throws -> OutgoingResponse {
        let file = try file(call)
        let side = try call.query().side(else: 192)
        let source = ImageSource.file(path: try ready().files.path(of: file))
        var request = ImageRequest(source, .fit(side, side), .suited(SuitedFormat(preferred: [.jpeg, .png])))
        request.limits.decodeTime = .seconds(20)
        // The file is private, so it must not enter a store that others can read.
        request.cachePolicy = .noStore
        let rendition = try await picture(request, of: file)
        let headers = HTTPHeaders([
            .init("Content-Type", rendition.format.mediaType),
            .init("Cache-Control", "private, max-age=86400, immutable"),
            .init("X-Content-Type-Options", "nosniff"),
        ])
        return OutgoingResponse(200, headers, .bytes(rendition.bytes))
    }

    private func picture(_ request: ImageRequest, of file: StoredFile) async throws -> Rendition {
        do {
            return try await services.pipeline.rendition(for: request)
        } catch let error as CalotypeError where Self.faults.contains(error.code) {
            throw APIError(422, error.code.rawValue, "\(file.name) cannot be shown: \(error.message)")
        }
    }

    /// Errors that concern the file and not the server.
    private static let faults: Set<ErrorCode> = [
        .unsupportedFormat, .corruptImage, .truncatedImage, .tooManyBytes, .tooManyPixels, .timeoutDecode,
        ErrorCode(rawValue: "too_many_frames"), ErrorCode(rawValue: "decoder_crashed"),
    ]

    // MARK: Posts

    private var postRoutes: [APIRoute] {
        [
            APIRoute("POST", "/publish/posts") { call in
                let publishing = try ready()
                let entry = try await publishing.begin(try await call.json(as: PostRequest.self))
                return try answer(entry, status: 201)
            },
            APIRoute("GET", "/publish/posts") { _ in
                let publishing = try ready()
                return .json(
                    Posts(posts: publishing.posts.entries.map { PostDocument($0, publishing.files) })
                )
            },
            APIRoute("GET", "/publish/posts/{id}") { call in
                try answer(try ready().posts.entry(call.parameters["id"]))
            },
            APIRoute("GET", "/publish/posts/{id}/events") { try events($0) },
            APIRoute("POST", "/publish/posts/{id}/resume") { call in
                try answer(try await ready().resume(call.parameters["id"]))
            },
            APIRoute("DELETE", "/publish/posts/{id}") { call in
                let kept = try call.query().text("keep", atMost: 10_000) ?? ""
                let keeping = Set(kept.split(separator: ",").map(String.init))
                guard let entry = try await ready().remove(call.parameters["id"], keeping: keeping) else {
                    return .nothing
                }
                return try answer(entry)
            },
        ]
    }

    private func answer(_ entry: PostShelf.Entry, status: Int = 200) throws(APIError) -> OutgoingResponse {
        var response = OutgoingResponse.json(PostDocument(entry, try ready().files))
        response.status = status
        return response
    }

    /// Streams the progress of a publication; if none is running, the stream has at most one event.
    private func events(_ call: APICall) throws(APIError) -> OutgoingResponse {
        let run = try ready().posts.entry(call.parameters["id"]).run
        return EventStream.response(clock: services.configuration.clock, until: services.draining) { events in
            guard let run else { return }
            for await state in run.progress { try await events.send("progress", PublishStateDocument(state)) }
            // A client that requests the post after the last event gets its outcome.
            try await run.ended.wait()
        }
    }
}

extension OutgoingResponse {
    /// A response without content.
    static var nothing: OutgoingResponse {
        OutgoingResponse(204, HTTPHeaders([.init("Cache-Control", "no-store")]))
    }
}
