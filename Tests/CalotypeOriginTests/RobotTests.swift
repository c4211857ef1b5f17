import CalotypeCodec
import CalotypeCore
import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RobotTests {
    @Test func `a robot is a PNG of 300 by 300 with a transparent ground`() async throws {
        let answer = try await answer("/robots/calotype.png")
        #expect(answer.field("Content-Type") == "image/png")
        try await withImageCodec { codec in
            let bitmap = try await codec.bitmap(of: .bytes(answer.body))
            #expect(bitmap.size == PixelSize(width: 300, height: 300))
            #expect(bitmap.rgba[3] == 0)
            let middle = (150 * 300 + 150) * 4
            #expect(bitmap.rgba[middle + 3] == 255)
            #expect(answer.body.count < 40_000)
        }
    }

    @Test func `the same text gives the same robot, and others give others`() async throws {
        var bodies: Set<[UInt8]> = []
        for text in ["a.png", "b.png", "a", "3.14159", "%F0%9F%A4%96", "a%20b/c%3F", "jpg"] {
            bodies.insert(try await answer("/robots/\(text)?size=40x40").body)
            bodies.insert(try await answer("/robots/\(text)?size=40x40").body)
        }
        #expect(bodies.count == 7)
    }

    @Test func `sets and backgrounds look different, and any chooses one of them`() async throws {
        var bodies: Set<[UInt8]> = []
        for set in ["set1", "set2", "set3", "set4", "set5"] {
            bodies.insert(try await answer("/robots/x?size=40x40&set=\(set)").body)
        }
        #expect(bodies.count == 5)
        #expect(bodies.contains(try await answer("/robots/x?size=40x40&set=any").body))
        for background in ["bg1", "bg2"] {
            bodies.insert(try await answer("/robots/x?size=40x40&bgset=\(background)").body)
        }
        #expect(bodies.count == 7)
        #expect(bodies.contains(try await answer("/robots/x?size=40x40&bgset=any").body))
    }

    @Test(arguments: [(1, 1), (1, 30), (50, 20), (1024, 3)])
    func `the size is the requested one`(width: Int, height: Int) async throws {
        let answer = try await answer("/robots/x.png?size=\(width)x\(height)")
        let facts = try #require(try ImageProbe.facts(fromPrefix: answer.body, isComplete: true))
        #expect(facts.size == PixelSize(width: width, height: height))
        try await withImageCodec { codec in
            let bitmap = try await codec.bitmap(of: .bytes(answer.body))
            #expect(bitmap.size == PixelSize(width: width, height: height))
        }
    }

    @Test func `what is wanted may stand before the text`() async throws {
        let asked = try await answer("/robots/3.14159?set=set4&bgset=bg1&size=50x40")
        let told = try await answer("/robots/set_set4/bgset_bg1/3.14159?size=50x40")
        let sized = try await answer("/robots/size_50x40/set_set4/bgset_bg1/3.14159")
        #expect(asked.status == 200)
        #expect(told.body == asked.body)
        #expect(sized.body == asked.body)
        #expect(try await answer("/robots/set_set9/x").status == 400)
    }

    @Test(arguments: [
        "x.png?size=0x1", "x.png?size=1025x1", "x.png?size=10", "x.png?size=axb", "x.png?size=1x1x1",
        "x.png?set=set6", "x.png?bgset=set1", "x.jpg", "x.BMP", "",
    ])
    func `invalid parameters receive 400 with the allowed values`(request: String) async throws {
        let answer = try await answer("/robots/\(request)")
        #expect(answer.status == 400)
        #expect(answer.field("Content-Type") == "text/plain; charset=utf-8")
        #expect(answer.body.count > 10)
    }

    private func answer(_ path: String) async throws -> Exchange {
        var answer = Exchange()
        try await withTestOrigin { _, client in answer = await client.get(path) }
        return answer
    }
}
