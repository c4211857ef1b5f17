import CalotypeCore
import Testing

@testable import CalotypeCodec

struct CompressedZerosTests {
    @Test func `a gzip file of zeros unpacks to all of them`() throws {
        let file = try CompressedZeros.gzip(blocks: 3)
        #expect(file.starts(with: [0x1F, 0x8B, 8]))
        #expect(file.count < 1000)
        // The checksum and the size of 192 KiB of zeros.
        #expect(file.suffix(8).elementsEqual([0xCB, 0x2F, 0x6B, 0xB6, 0, 0, 3, 0]))
        let zlib = [0x78, 0x01] + file.dropFirst(10).dropLast(8)
        let unpacked = PNGProfile.inflated(zlib, capacity: 1 << 20)
        #expect(unpacked == [UInt8](repeating: 0, count: 192 << 10))
    }

    @Test func `a PNG of zeros claims its size and ends early`() async throws {
        let size = PixelSize(width: 2000, height: 1000)
        let file = try CompressedZeros.png(size, rows: 4)
        #expect(file.count < 1000)
        let facts = try await withImageCodec { try await $0.facts(of: .bytes(file)) }
        #expect(facts.size == size)
        await #expect(throws: CalotypeError.self) {
            try await withImageCodec { _ = try await $0.bitmap(of: .bytes(file)) }
        }
    }

    @Test func `a bitmap's PNG has its pixels`() async throws {
        let rgba: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 128, 0, 0, 255, 255, 9, 9, 9, 0]
        let bitmap = Bitmap(size: PixelSize(width: 2, height: 2), rgba: rgba)
        let file = try bitmap.pngBytes()
        let decoded = try await withImageCodec { try await $0.bitmap(of: .bytes(file)) }
        #expect(decoded == bitmap)
    }
}
