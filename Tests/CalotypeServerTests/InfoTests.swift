import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeStore
import CalotypeTestKit
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

    private func answer(_ headers: KeyValuePairs<String, String>) -> ScriptedResponse {
        ScriptedResponse(headers: headers, body: [.bytes(ServerRig.photo)])
    }

    @Test func `a response is repeated from memory as long as the origin allows it, with the same tag`()
        async throws
    {
        try await ServerRig.open { rig in
            rig.origin.answer { _ in answer(["Cache-Control": "max-age=60"]) }
            let first = await rig.get(Self.path)
            let second = rig.atOnce(ServerRig.request(Self.path))
            #expect(second?.bytes == first.bytes)
            #expect(second?.record?.cache == "memory")
            #expect(first.headers["ETag"]?.count == 34)
            #expect(second?.headers["ETag"] == first.headers["ETag"])
            #expect(rig.origin.statistics.requests == 1)
        }
    }

    @Test(arguments: ["max-age=0", "no-store"])
    func `what the origin forbids to store is requested again`(control: String) async throws {
        try await ServerRig.open {
            $0.pipeline.freshness.isShared = false
        } _: { rig in
            rig.origin.answer { _ in answer(["Cache-Control": control]) }
            let first = await rig.get(Self.path)
            #expect(rig.atOnce(ServerRig.request(Self.path)) == nil)
            let second = await rig.get(Self.path)
            #expect(second.bytes == first.bytes)
            #expect(rig.origin.statistics.requests == 2)
        }
    }

    @Test func `after a restart it is read from the folder, without a download and without a decode`()
        async throws
    {
        let answers = Guarded<[OutgoingResponse]>([])
        try await withScratchFolder { folder in
            for cache in ["miss", "hit"] {
                try await ServerRig.open {
                    $0.cacheFolder = folder + "/cache"
                } _: { rig in
                    rig.origin.answer { _ in answer(["Cache-Control": "max-age=60", "ETag": "\"1\""]) }
                    let told = await rig.get(Self.path)
                    #expect(told.record?.cache == cache)
                    let isStored = cache == "hit"
                    #expect(rig.origin.statistics.requests == (isStored ? 0 : 1))
                    #expect(
                        rig.server.metricsText().contains("\ncalotype_decodes_total \(isStored ? 0 : 1)\n")
                    )
                    #expect((told.record?.unloaded == .store) == isStored)
                    answers.withLock { $0.append(told) }
                    // From then on memory has it.
                    #expect(rig.atOnce(ServerRig.request(Self.path)) != nil)
                }
            }
        }
        let told = answers.withLock { $0 }
        #expect(told[0].status == 200 && told[0].bytes == told[1].bytes)
        #expect(told[0].headers["ETag"] == told[1].headers["ETag"])
        #expect(told[0].headers["Cache-Control"] == told[1].headers["Cache-Control"])
    }

    @Test func `without caches nothing is kept`() async throws {
        try await ServerRig.open {
            $0.pipeline.memoryCache = .none
        } _: { rig in
            rig.origin.answer { _ in answer(["Cache-Control": "max-age=60"]) }
            _ = await rig.get(Self.path)
            #expect(rig.atOnce(ServerRig.request(Self.path)) == nil)
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

    /// The hashes are those of an implementation in another language, written from the published description of ThumbHash apart
    /// from this one, for the pictures of ``picture(_:_:isOpaque:)``.
    @Test(arguments: [
        (12, 8, true, "66e50925845690796396798579576978406a4435fc"),
        (8, 12, true, "23e6093d0805766ac706b6865995887639208f9094"),
        (9, 9, false, "25f585150417088458d985787a082e87a0d878646360678666"),
        (6, 10, false, "66058613041710983ea86a84070ca9c567860784267e4a"),
    ])
    func `a thumbhash is what other implementations make`(
        width: Int,
        height: Int,
        isOpaque: Bool,
        hash: String
    ) {
        let bytes = ThumbHash.bytes(of: Self.picture(width, height, isOpaque: isOpaque))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == hash)
    }

    private static func picture(_ width: Int, _ height: Int, isOpaque: Bool) -> Bitmap {
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let colour = [37 * x + 11 * y, 5 * x * y + 90, 200 - 3 * x + 7 * y]
                let alpha = isOpaque ? 255 : 40 * x + 25 * y
                rgba += (colour + [alpha]).map { UInt8($0 % 256) }
            }
        }
        return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
    }
}
