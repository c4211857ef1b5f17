import CalotypeCore
import Testing

@testable import CalotypeCodec

@Suite struct JPEGVerdictTests {
    @Test func `only the scales that are quick are offered, the full size among them`() throws {
        #expect(try jpegSource(.memory(BlockJPEG().bytes)).scales == [1, 2, 4, 8])
    }

    @Test func `four components are left to libvips`() throws {
        var picture = BlockJPEG(width: 16, height: 16)
        picture.sampling = [(1, 1), (1, 1), (1, 1), (1, 1)]
        for adobe in [nil, 0, 2] as [UInt8?] {
            picture.adobe = adobe
            let jpeg = picture.bytes
            #expect(throws: LeftJPEG.self) { try jpegSource(.memory(jpeg)) }
        }
        picture.sampling = [(1, 1), (1, 1)]
        let two = picture.bytes
        #expect(throws: LeftJPEG.self) { try jpegSource(.memory(two)) }
    }

    @Test func `the profile is put together from its parts, in whatever order they come`() throws {
        let profile = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let parts = [profile[0..<400], profile[400..<900], profile[900..<1000]]
        func found(_ order: [Int], of count: UInt8 = 3) throws -> [UInt8] {
            var jpeg = BlockJPEG(width: 16, height: 16).bytes
            // The last one inserted stands first.
            for part in order.reversed() {
                let head = Array("ICC_PROFILE".utf8) + [0, UInt8(part + 1), count]
                jpeg = HandMade.jpeg(jpeg, marker: 0xE2, segment: head + parts[part])
            }
            return try jpegSource(.memory(jpeg)).profile
        }
        #expect(try found([0, 1, 2]) == profile)
        #expect(try found([2, 0, 1]) == profile)
        #expect(try found([0, 1]).isEmpty)
        #expect(try found([0, 1, 1]).isEmpty)
        #expect(try found([0, 1, 2, 1]).isEmpty)
        #expect(try found([0, 1, 2], of: 2).isEmpty)
        #expect(try found([0, 1], of: 2) == Array(profile.prefix(900)))
    }

    @Test func `segments that are no profile are passed over`() throws {
        let plain = BlockJPEG(width: 16, height: 16).bytes
        for content in [
            [], Array("MPF".utf8), Array("ICC_PROFILE".utf8) + [0], [UInt8](repeating: 1, count: 60_000),
        ] {
            let jpeg = HandMade.jpeg(plain, marker: 0xE2, segment: content)
            #expect(try jpegSource(.memory(jpeg)).profile.isEmpty)
            #expect(try DecodedJPEG(jpeg).samples == (try DecodedJPEG(plain).samples))
        }
    }

    @Test func `a profile of more than 4 MiB is left to libvips`() throws {
        var jpeg = BlockJPEG(width: 16, height: 16).bytes
        for part in (1...80).reversed() {
            let head = Array("ICC_PROFILE".utf8) + [0, UInt8(part), 80]
            jpeg = HandMade.jpeg(jpeg, marker: 0xE2, segment: head + [UInt8](repeating: 1, count: 60_000))
        }
        #expect(throws: LeftJPEG.self) { try jpegSource(.memory(jpeg)) }
    }
}
