import Testing

@testable import CalotypeOrigin

struct BombTests {
    @Test func `the checksum is that of PNG and gzip`() {
        #expect(CRC32.of(Array("123456789".utf8)) == 0xcbf4_3926)
    }

    @Test(arguments: [0, 1, 2, 100, 4097])
    func `the checksum of zeros is the one of an array of zeros`(count: Int) {
        #expect(CRC32.ofZeros(count) == CRC32.of([UInt8](repeating: 0, count: count)))
    }
}
