import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypePlatform
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypeApp

/// Files that are handed over to be published.
@Suite(.timeLimit(.minutes(1)))
struct FileTests {
    @Test func `a picture is kept, and has a thumbnail`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let answer = try await fixture.send("../a b.png", PublishingFixture.picture(1))
                let file = try answer.json(as: PublishingFixture.File.self)
                #expect(answer.status == 201)
                #expect(file.name == "a b.png" && file.type == "image/png" && file.kind == "image")
                #expect(
                    file.width == 40 && file.height == 30 && file.bytes == PublishingFixture.picture(1).count
                )
                let thumbnail = try await fixture.app.send(.get, try #require(file.src))
                #expect(thumbnail.status == 200 && thumbnail.headers["Content-Type"] == "image/png")
                let listed = try await fixture.files()
                #expect(listed.map(\.id) == [file.id])
            }
        }
    }

    @Test func `what is no picture has no thumbnail`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let film = [0, 0, 0, 16] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 100)
                let video = try await fixture.file("film.mp4", film)
                #expect(video.kind == "video" && video.type == "video/mp4" && video.src == nil)
                let text = try await fixture.file("notes", Array("a text".utf8))
                #expect(text.kind == "other" && text.src == nil)
                // Neither a picture nor a film, whatever it is called: people are warned before they publish it.
                let html = Array("<!doctype html><title>Not found</title>".utf8)
                let page = try await fixture.file("photo.jpg", html)
                #expect(page.kind == "other" && page.fault == "unsupported_format")
                #expect(text.fault == page.fault)
                let unread = try await fixture.app.send(.get, "/api/publish/files/\(page.id)/thumbnail")
                #expect(unread.status == 422 && unread.code == page.fault)
                let sound = try await fixture.file("sound.mp3", Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0])
                #expect(video.fault == nil && sound.fault == nil)
            }
        }
    }

    @Test func `a picture that cannot be read says why`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let broken = try await fixture.file("broken.jpg", [0xFF, 0xD8, 0xFF, 0, 0])
                #expect(broken.kind == "image" && broken.src == nil && broken.width == nil)
                #expect(broken.fault?.isEmpty == false)
                let unread = try await fixture.app.send(.get, "/api/publish/files/\(broken.id)/thumbnail")
                #expect(unread.status == 422 && unread.code == broken.fault)
                // Its head is good, so that only who decodes it finds out.
                var bytes = PublishingFixture.picture(1)
                bytes[bytes.count / 2] ^= 0xFF
                let bent = try await fixture.file("bent.png", bytes)
                #expect(bent.width == 40 && bent.fault == nil)
                let undecoded = try await fixture.app.send(.get, try #require(bent.src))
                #expect(undecoded.status == 422)
                #expect(["truncated_image", "corrupt_image"].contains(undecoded.code))
                #expect(undecoded.text.contains("bent.png"))
                let whole = try await fixture.file("whole.png", PublishingFixture.picture(2))
                #expect(whole.fault == nil)
            }
        }
    }

    @Test func `files are there after a restart, and gone when they are removed`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                _ = try await fixture.file("a.png", PublishingFixture.picture(1))
                let other = try await fixture.file("b.png", PublishingFixture.picture(2))
                let removed = try await fixture.app.send(.delete, "/api/publish/files/\(other.id)")
                #expect(removed.status == 204)
                let missing = try await fixture.app.send(.get, try #require(other.src))
                #expect(missing.status == 404 && missing.code == "not_found")
            }
            try Data([1]).write(to: URL(filePath: "\(place.folder)/files/stray"))
            try Data([1]).write(to: URL(filePath: "\(place.folder)/uploads/half"))
            try await place.open { fixture in
                let files = try await fixture.files()
                #expect(files.map(\.name) == ["a.png"])
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/files")
                #expect(Set(names) == [files[0].id, "\(files[0].id).json"])
                let uploads = try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/uploads")
                #expect(uploads.isEmpty)
            }
        }
    }

    @Test func `files that no post needs are removed when they are a day old`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(faults: ["broken": "403@PUT"]) { fixture in
                let post = try await fixture.publish(pictures: 1, to: "broken")
                let ended = try await fixture.end(of: post)
                #expect(ended.state == "failed")
                _ = try await fixture.file("old.png", PublishingFixture.picture(9))
            }
            let later = WallTime.now() + .seconds(90_000)
            try await place.open(configure: {
                $0.wallClock = { later }
            }) { fixture in
                let files = try await fixture.files()
                #expect(files.map(\.name) == ["0.png"])
            }
        }
    }

    @Test func `a full disk and a shortage of descriptors are told apart`() {
        let full = APIError.notStored(SystemError("write the file", code: ENOSPC))
        #expect(full.status == 507 && full.code == "storage_failed" && full.message.contains("No space left"))
        let short = APIError.notStored(SystemError("open the file", code: EMFILE))
        #expect(short.status == 503 && short.code == "resource_shortage")
    }

    @Test func `too many bytes and too many files are refused, and leave nothing`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(configure: {
                $0.fileLimits = .init(file: ByteCount(300_000), total: ByteCount(500_000), count: 2)
            }) { fixture in
                let large = try await fixture.send("a", [UInt8](repeating: 1, count: 300_001))
                #expect(large.status == 413 && large.code == "too_many_bytes")
                let first = try await fixture.send("b", [UInt8](repeating: 1, count: 300_000))
                #expect(first.status == 201)
                let second = try await fixture.send("c", [UInt8](repeating: 1, count: 300_000))
                #expect(second.status == 507 && second.code == "storage_full")
                let empty = try await fixture.send("d", [])
                #expect(empty.status == 400 && empty.code == "empty_file")
                let third = try await fixture.send("e", [1])
                #expect(third.status == 201)
                let fourth = try await fixture.send("f", [1])
                #expect(fourth.status == 507 && fourth.code == "too_many_files")
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/files")
                #expect(names.count == 4)
            }
        }
    }

    @Test func `a file may be larger than other bodies, and what is cut is gone`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let large = try await fixture.send("film", [UInt8](repeating: 1, count: 20 << 20))
                #expect(large.status == 201)
                let other = try await fixture.app.send(
                    .post,
                    "/api/walls",
                    ["Content-Type": "application/json"],
                    body: HTTPBody([UInt8](repeating: 32, count: 20 << 20))
                )
                #expect(other.status == 413)
            }
        }
    }

    @Test func `an upload that is cut leaves nothing`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                // A hole of a gibibyte, which takes no room.
                let film = "\(place.folder)/film"
                let file = try OpenFile(film, O_WRONLY | O_CREAT)
                ftruncate(file.descriptor, 1 << 30)
                let body = try HTTPBody(FileRange(path: film, length: .mebibytes(1024)))
                let request = try fixture.app.request(.post, "/api/publish/files?name=a", body: body)
                let task = Task {
                    try await fixture.app.client.withResponse(to: request) { _ in
                        Issue.record("it was answered")
                    }
                }
                while try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/uploads").isEmpty {
                    await Task.yield()
                }
                task.cancel()
                _ = await task.result
                while try !FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/uploads").isEmpty
                {
                    await Task.yield()
                }
                let files = try await fixture.files()
                #expect(files.isEmpty)
            }
        }
    }

    @Test func `a second server cannot use the folder`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { _ in
                let error = await #expect(throws: CalotypeError.self) {
                    try await place.open { _ in Issue.record("it began") }
                }
                #expect(error?.message.contains("another server uses the app's folder") == true)
            }
            try await place.open { _ in }
        }
    }
}
