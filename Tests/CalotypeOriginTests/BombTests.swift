import Testing

@testable import CalotypeOrigin

struct BombTests {
    @Test func `the gzip bomb ends with the checksum and the size of 256 MiB of zeros`() async throws {
        try await withTestOrigin { _, client in
            let bomb = await client.get("/gzip-bomb")
            #expect(bomb.body.suffix(8).elementsEqual([0xbb, 0x7d, 0x0e, 0x2a, 0, 0, 0, 0x10]))
        }
    }
}
