import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import FoundationEssentials
import Glibc
import TaskFlow
import Testing

@testable import CalotypeApp

/// Files that are handed over to be published.
@Suite(.timeLimit(.minutes(1)))
struct FileTests {
    @Test func `a picture is kept, and has a thumbnail`() async throws {
        try await withDesks { place in
            try await place.open { desk in
                let answer = try await desk.send("../a b.png", Desk.picture(1))
                let file = try answer.json(as: Desk.File.self)
                #expect(answer.status == 201)
                #expect(file.name == "a b.png" && file.type == "image/png" && file.kind == "image")
                #expect(file.width == 40 && file.height == 30 && file.bytes == Desk.picture(1).count)
                let thumbnail = try await desk.app.send(.get, try #require(file.src))
                #expect(thumbnail.status == 200 && thumbnail.headers["Content-Type"] == "image/png")
                let listed = try await desk.files()
                #expect(listed.map(\.id) == [file.id])
            }
        }
    }

    @Test func `what is no picture has no thumbnail`() async throws {
        try await withDesks { place in
            try await place.open { desk in
                let film = [0, 0, 0, 16] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 100)
                let video = try await desk.file("film.mp4", film)
                #expect(video.kind == "video" && video.type == "video/mp4" && video.src == nil)
                let text = try await desk.file("notes", Array("a text".utf8))
                #expect(text.kind == "other" && text.src == nil)
                // Neither a picture nor a film, whatever it is called: people are warned before they publish it.
                let html = Array("<!doctype html><title>Not found</title>".utf8)
                let page = try await desk.file("photo.jpg", html)
                #expect(page.kind == "other" && page.fault == "unsupported_format")
                #expect(text.fault == page.fault)
                let unread = try await desk.app.send(.get, "/api/publish/files/\(page.id)/thumbnail")
                #expect(unread.status == 422 && unread.code == page.fault)
                let sound = try await desk.file("sound.mp3", Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0])
                #expect(video.fault == nil && sound.fault == nil)
            }
        }
    }

    @Test func `a picture that cannot be read says why (W16)`() async throws {
        try await withDesks { place in
            try await place.open { desk in
                let broken = try await desk.file("broken.jpg", [0xFF, 0xD8, 0xFF, 0, 0])
                #expect(broken.kind == "image" && broken.src == nil && broken.width == nil)
                #expect(broken.fault?.isEmpty == false)
                let unread = try await desk.app.send(.get, "/api/publish/files/\(broken.id)/thumbnail")
                #expect(unread.status == 422 && unread.code == broken.fault)
                // Its head is good, so that only who decodes it finds out.
                var bytes = Desk.picture(1)
                bytes[bytes.count / 2] ^= 0xFF
                let bent = try await desk.file("bent.png", bytes)
                #expect(bent.width == 40 && bent.fault == nil)
                let undecoded = try await desk.app.send(.get, try #require(bent.src))
                #expect(undecoded.status == 422)
                #expect(["truncated_image", "corrupt_image"].contains(undecoded.code))
                #expect(undecoded.text.contains("bent.png"))
                let whole = try await desk.file("whole.png", Desk.picture(2))
                #expect(whole.fault == nil)
            }
        }
    }

    @Test func `files are there after a restart, and gone when they are removed`() async throws {
        try await withDesks { place in
            try await place.open { desk in
                _ = try await desk.file("a.png", Desk.picture(1))
                let other = try await desk.file("b.png", Desk.picture(2))
                let removed = try await desk.app.send(.delete, "/api/publish/files/\(other.id)")
                #expect(removed.status == 204)
                let missing = try await desk.app.send(.get, try #require(other.src))
                #expect(missing.status == 404 && missing.code == "not_found")
            }
            try Data([1]).write(to: URL(filePath: "\(place.folder)/files/stray"))
            try Data([1]).write(to: URL(filePath: "\(place.folder)/files/half.part"))
            try await place.open { desk in
                let files = try await desk.files()
                #expect(files.map(\.name) == ["a.png"])
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/files")
                #expect(Set(names) == [files[0].id, "\(files[0].id).json"])
            }
        }
    }

    @Test func `files that no post needs are removed when they are a day old`() async throws {
        try await withDesks { place in
            try await place.open(faults: ["broken": "403@PUT"]) { desk in
                let post = try await desk.publish(pictures: 1, to: "broken")
                let ended = try await desk.end(of: post)
                #expect(ended.state == "failed")
                _ = try await desk.file("old.png", Desk.picture(9))
            }
            let later = WallTime.now() + .seconds(90_000)
            try await place.open(configure: {
                $0.wallClock = { later }
            }) { desk in
                let files = try await desk.files()
                #expect(files.map(\.name) == ["0.png"])
            }
        }
    }

    @Test func `too many bytes and too many files are refused, and leave nothing`() async throws {
        try await withDesks { place in
            try await place.open(configure: {
                $0.fileLimits = .init(file: ByteCount(300_000), total: ByteCount(500_000), count: 2)
            }) { desk in
                let large = try await desk.send("a", [UInt8](repeating: 1, count: 300_001))
                #expect(large.status == 413 && large.code == "too_many_bytes")
                let first = try await desk.send("b", [UInt8](repeating: 1, count: 300_000))
                #expect(first.status == 201)
                let second = try await desk.send("c", [UInt8](repeating: 1, count: 300_000))
                #expect(second.status == 507 && second.code == "storage_full")
                let empty = try await desk.send("d", [])
                #expect(empty.status == 400 && empty.code == "empty_file")
                let third = try await desk.send("e", [1])
                #expect(third.status == 201)
                let fourth = try await desk.send("f", [1])
                #expect(fourth.status == 507 && fourth.code == "too_many_files")
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/files")
                #expect(names.count == 4)
            }
        }
    }

    @Test func `a file may be larger than other bodies, and what is cut is gone`() async throws {
        try await withDesks { place in
            try await place.open { desk in
                let large = try await desk.send("film", [UInt8](repeating: 1, count: 20 << 20))
                #expect(large.status == 201)
                let other = try await desk.app.send(
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
        try await withDesks { place in
            try await place.open { desk in
                // A hole of a gibibyte, which takes no room.
                let film = "\(place.folder)/film"
                let file = try OpenFile(film, O_WRONLY | O_CREAT)
                ftruncate(file.descriptor, 1 << 30)
                let body = try HTTPBody(FileRange(path: film, length: .mebibytes(1024)))
                let request = try desk.app.request(.post, "/api/publish/files?name=a", body: body)
                let task = Task {
                    try await desk.app.client.withResponse(to: request) { _ in Issue.record("it was answered")
                    }
                }
                while try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/files").isEmpty {
                    await Task.yield()
                }
                task.cancel()
                _ = await task.result
                while try !FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/files").isEmpty {
                    await Task.yield()
                }
                let files = try await desk.files()
                #expect(files.isEmpty)
            }
        }
    }

    @Test func `a second server cannot use the folder`() async throws {
        try await withDesks { place in
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
