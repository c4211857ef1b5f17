import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypePublish
import CalotypeServer
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypeApp

/// Files that are handed over in pieces, to be published.
@Suite(.timeLimit(.minutes(1)))
struct UploadTests {
    private static let bytes = PublishingFixture.picture(1)

    @Test func `pieces become a file`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let upload = try await fixture.begin("../a b.png", Self.bytes.count)
                #expect(try await fixture.arrived(of: upload) == 0)
                let first = try await fixture.append(Self.bytes[..<20], to: upload, at: 0)
                #expect(first.status == 204 && first.headers["Upload-Offset"] == "20")
                #expect(first.headers["Tus-Resumable"] == "1.0.0")
                #expect(try await fixture.arrived(of: upload) == 20)
                #expect(try await fixture.files().isEmpty)
                let last = try await fixture.append(Self.bytes[20...], to: upload, at: 20)
                #expect(last.status == 204 && last.headers["Upload-Offset"] == "\(Self.bytes.count)")
                let file = try #require(try await fixture.files().first)
                #expect(upload.hasSuffix(file.id) && file.name == "a b.png" && file.width == 40)
                let alone = try await fixture.app.send(.get, "/api/publish/files/\(file.id)")
                #expect(try alone.json(as: PublishingFixture.File.self).src == file.src)
                #expect(try place.bytes(of: file) == Self.bytes)
                // A client that did not receive the response asks how far it came, and sends nothing more.
                #expect(try await fixture.arrived(of: upload) == Self.bytes.count)
                let again = try await fixture.append([], to: upload, at: Self.bytes.count)
                #expect(again.status == 204)
                #expect(try place.uploads().isEmpty)
            }
        }
    }

    @Test func `an upload continues after a cut and a restart`() async throws {
        try await withPublishingFixtures { place in
            let film = "\(place.folder).film"
            let words = (0..<3 << 20).map { UInt64($0) << 20 | UInt64($0) }
            let bytes = unsafe words.withUnsafeBytes { unsafe Array($0) }
            try Data(bytes).write(to: URL(filePath: film))
            let (upload, arrived) = try await place.open { fixture -> (String, Int) in
                let upload = try await fixture.begin("film", bytes.count)
                let body = try HTTPBody(FileRange(path: film, length: ByteCount(bytes.count)))
                let request = try fixture.app.request(
                    .patch,
                    upload,
                    PublishingFixture.piece(at: 0),
                    body: body
                )
                let task = Task {
                    try await fixture.app.client.withResponse(to: request) { _ in }
                }
                let id = upload.split(separator: "/").last.map(String.init) ?? ""
                while try place.uploads()[id] == 0 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                task.cancel()
                _ = await task.result
                var busy = 423
                while busy == 423 {
                    try Task.checkCancellation()
                    busy = try await fixture.append([0], to: upload, at: bytes.count).status
                    await Task.yield()
                }
                let arrived = try #require(try await fixture.arrived(of: upload))
                #expect(arrived > 0)
                return (upload, arrived)
            }
            try await place.open { fixture in
                #expect(try await fixture.arrived(of: upload) == arrived)
                let answer = try await fixture.append(bytes[arrived...], to: upload, at: arrived)
                #expect(answer.status == 204)
                let file = try #require(try await fixture.files().first)
                #expect(try place.bytes(of: file) == bytes)
            }
        }
    }

    @Test func `what was written but not recorded is replaced`() async throws {
        try await withPublishingFixtures { place in
            let upload = try await place.open { fixture -> String in
                let upload = try await fixture.begin("a.png", Self.bytes.count)
                _ = try await fixture.append(Self.bytes[..<20], to: upload, at: 0)
                return upload
            }
            let id = try #require(upload.split(separator: "/").last)
            let path = "\(place.folder)/uploads/\(id)"
            try Data(Self.bytes[..<20] + [UInt8](repeating: 0, count: 5000)).write(to: URL(filePath: path))
            try Data([1]).write(to: URL(filePath: "\(place.folder)/uploads/stray"))
            try await place.open { fixture in
                #expect(try place.uploads().keys.sorted() == ["\(id)", "\(id).json"])
                #expect(try await fixture.arrived(of: upload) == 20)
                _ = try await fixture.append(Self.bytes[20...], to: upload, at: 20)
                let file = try #require(try await fixture.files().first)
                #expect(try place.bytes(of: file) == Self.bytes)
            }
        }
    }

    @Test func `wrong requests change nothing`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(configure: {
                $0.fileLimits = .init(file: ByteCount(3000), total: ByteCount(5000), count: 2)
            }) { fixture in
                let path = "/api/publish/uploads"
                let abilities = try await fixture.app.send(HTTPMethod("OPTIONS"), path)
                #expect(
                    abilities.status == 204 && abilities.headers["Tus-Extension"] == "creation,termination"
                )
                let old = try await fixture.app.send(.post, path, ["Upload-Length": "9"])
                #expect(old.status == 412 && old.headers["Tus-Version"] == "1.0.0")
                #expect(old.headers["Tus-Resumable"] == "1.0.0")
                for (length, status) in [("", 400), ("-1", 400), ("0", 400), ("3001", 413)] {
                    let answer = try await fixture.app.send(
                        .post,
                        path,
                        ["Tus-Resumable": "1.0.0", "Upload-Length": length]
                    )
                    #expect(answer.status == status)
                }
                let unread = [
                    "Tus-Resumable": "1.0.0", "Upload-Length": "9", "Upload-Metadata": "filename ?",
                ]
                #expect(try await fixture.app.send(.post, path, unread).status == 400)
                #expect(try await fixture.send("other", [UInt8](repeating: 1, count: 2500)).status == 201)
                let full = ["Tus-Resumable": "1.0.0", "Upload-Length": "2501"]
                #expect(try await fixture.app.send(.post, path, full).code == "storage_full")
                let upload = try await fixture.begin("a", 100)
                let more = ["Tus-Resumable": "1.0.0", "Upload-Length": "9"]
                #expect(try await fixture.app.send(.post, path, more).code == "too_many_files")
                #expect(try await fixture.append([1, 2], to: upload, at: 1).status == 409)
                #expect(try await fixture.append([1], to: "\(path)/nothing", at: 0).status == 404)
                let typed = try await fixture.app.send(
                    .patch,
                    upload,
                    ["Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "image/png"],
                    body: HTTPBody([1])
                )
                #expect(typed.status == 415)
                let long = try await fixture.append(
                    ArraySlice([UInt8](repeating: 1, count: 101)),
                    to: upload,
                    at: 0
                )
                #expect(long.status == 413)
                #expect(try await fixture.arrived(of: upload) == 0)
                let removed = try await fixture.app.send(.delete, upload, ["Tus-Resumable": "1.0.0"])
                #expect(removed.status == 204)
                #expect(try await fixture.append([1], to: upload, at: 0).status == 404)
                #expect(try place.uploads().isEmpty)
            }
        }
    }

    @Test func `an upload to which nothing is added for a day is removed`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in _ = try await fixture.begin("a", 100) }
            let later = WallTime.now() + .seconds(90_000)
            try await place.open(configure: { $0.wallClock = { later } }) { _ in
                let uploads = try place.uploads()
                #expect(uploads.isEmpty)
            }
        }
    }

    @Test func `our own tus client is satisfied`() async throws {
        try await withPublishingFixtures { place in
            let film = "\(place.folder).film"
            let bytes =
                [0, 0, 0, 16] + Array("ftypisom".utf8) + (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }
            try Data(bytes).write(to: URL(filePath: film))
            try await place.open { fixture in
                let port = fixture.app.server.port
                var destination = TusDestination(
                    endpoint: try WebURL("http://127.0.0.1:\(port)/api/publish/uploads"),
                    post: PlainPost(try WebURL(place.origin.url("/posts")), settling: .key)
                )
                destination.pieceBytes = ByteCount(20_000)
                let journal = PublisherConfiguration(journal: "\(place.folder).journal")
                let (server, to) = (fixture.app.server, destination)
                try await withPublisher(journal, server.pipeline) { publisher in
                    _ = try await publisher.publish(Post("Hello", media: [.file(film)]), to: to)
                }
                let file = try #require(try await fixture.files().first)
                #expect(try place.bytes(of: file) == bytes)
            }
        }
    }
}

extension PublishingFixture {
    fileprivate static func piece(at offset: Int) -> [String: String] {
        [
            "Tus-Resumable": "1.0.0", "Upload-Offset": "\(offset)",
            "Content-Type": "application/offset+octet-stream",
        ]
    }

    /// Begins an upload, and returns its path.
    fileprivate func begin(_ name: String, _ length: Int) async throws -> String {
        let fields = [
            "Tus-Resumable": "1.0.0", "Upload-Length": "\(length)",
            "Upload-Metadata": "filetype aW1hZ2U=,filename \(Data(name.utf8).base64EncodedString())",
        ]
        let answer = try await app.send(.post, "/api/publish/uploads", fields)
        #expect(answer.status == 201)
        return try #require(answer.headers["Location"])
    }

    fileprivate func append(
        _ bytes: ArraySlice<UInt8>,
        to upload: String,
        at offset: Int
    ) async throws -> LiveApp.Answer {
        try await app.send(.patch, upload, Self.piece(at: offset), body: HTTPBody(Array(bytes)))
    }

    fileprivate func arrived(of upload: String) async throws -> Int? {
        let answer = try await app.send(.head, upload, ["Tus-Resumable": "1.0.0"])
        #expect(answer.headers["Upload-Length"] != nil && answer.headers["Cache-Control"] == "no-store")
        return answer.headers["Upload-Offset"].flatMap { Int($0) }
    }
}

extension FixturePlace {
    fileprivate func bytes(of file: PublishingFixture.File) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(folder)/files/\(file.id)")))
    }

    /// The sizes of the files in the folder of uploads, by name.
    fileprivate func uploads() throws -> [String: Int] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/uploads")
        return try names.reduce(into: [:]) { sizes, name in
            let facts = try FileManager.default.attributesOfItem(atPath: "\(folder)/uploads/\(name)")
            sizes[name] = facts[.size] as? Int ?? 0
        }
    }
}
