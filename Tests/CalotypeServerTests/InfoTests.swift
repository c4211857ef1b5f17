import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import HTTPListener
import TaskFlow
import Testing

@testable import CalotypeServer

@Suite(.timeLimit(.minutes(1)))
struct InfoTests {
    @Test func `what a picture is comes from one download`() async throws {
        try await ServerRig.open { rig in
            let answer = await rig.get("/info/unsafe/plain/http://origin.test/photo.jpg")
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Type"] == "application/json")
            for part in [
                "\"format\":\"jpeg\"", "\"width\":64", "\"height\":48", "\"bytes\":\(ServerRig.photo.count)",
                "\"orientation\":1", "\"frames\":1", "\"dominant_colors\":[{\"color\":\"#",
                "\"thumbhash\":\"",
            ] {
                #expect(answer.text.contains(part), "\(part) in \(answer.text)")
            }
            #expect(rig.origin.statistics.requests == 1)
        }
    }

    private static let path = "/info/unsafe/plain/http://origin.test/photo.jpg"

    private func answer(_ headers: KeyValuePairs<String, String>) -> ScriptedAnswer {
        ScriptedAnswer(headers: headers, body: [.bytes(ServerRig.photo)])
    }

    @Test func `what was told is told again from memory, as long as the origin lets it, with the same tag`()
        async throws
    {
        try await ServerRig.open { rig in
            rig.origin.answer { _ in answer(["Cache-Control": "max-age=60"]) }
            let first = await rig.get(Self.path)
            let second = rig.server.immediateResponse(to: ServerRig.request(Self.path))
            #expect(second?.bytes == first.bytes)
            #expect(second?.record?.cache == "memory")
            #expect(first.headers["ETag"]?.count == 34)
            #expect(second?.headers["ETag"] == first.headers["ETag"])
            #expect(rig.origin.statistics.requests == 1)
        }
    }

    @Test(arguments: ["max-age=0", "no-store"])
    func `what the origin does not let be kept is asked for again`(control: String) async throws {
        try await ServerRig.open {
            $0.pipeline.freshness.isShared = false
        } _: { rig in
            rig.origin.answer { _ in answer(["Cache-Control": control]) }
            let first = await rig.get(Self.path)
            #expect(rig.server.immediateResponse(to: ServerRig.request(Self.path)) == nil)
            let second = await rig.get(Self.path)
            #expect(second.bytes == first.bytes)
            #expect(rig.origin.statistics.requests == 2)
        }
    }

    @Test func `without caches nothing is kept`() async throws {
        try await ServerRig.open {
            $0.pipeline.memoryCache = .none
        } _: { rig in
            rig.origin.answer { _ in answer(["Cache-Control": "max-age=60"]) }
            _ = await rig.get(Self.path)
            #expect(rig.server.immediateResponse(to: ServerRig.request(Self.path)) == nil)
        }
    }

    @Test func `colours are those that there are, the most frequent first`() {
        let red = [UInt8](arrayLiteral: 250, 10, 10, 255)
        let blue = [UInt8](arrayLiteral: 10, 10, 250, 255)
        let clear = [UInt8](arrayLiteral: 0, 255, 0, 0)
        let rgba = Array([red, red, red, blue, clear].joined())
        let colours = DominantColours.of(Bitmap(size: PixelSize(width: 5, height: 1), rgba: rgba))
        #expect(colours.map(\.text) == ["#fa0a0a", "#0a0afa"])
        #expect(colours.map(\.share) == [0.75, 0.25])
        #expect(DominantColours.of(Bitmap(size: PixelSize(width: 1, height: 1), rgba: clear)).isEmpty)
    }
}
