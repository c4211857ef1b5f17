import CalotypeDigests
import Testing

struct CRC32CTests {
    static let methods: [CRC32C.Method] =
        CRC32C.Method.isNativeAvailable ? [.native, .portable] : [.portable]

    /// RFC 3720, appendix B.4, which writes the bytes of the checksum the other way round.
    static let known: [([UInt8], UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        ([UInt8](0..<32), 0x46DD_794E),
        ([UInt8](0..<32).reversed(), 0x113F_DB5C),
        ([UInt8]("123456789".utf8), 0xE306_9283),
        ([], 0),
    ]

    @Test(arguments: methods, known)
    func `a checksum is the one that the standard gives`(_ method: CRC32C.Method, _ known: ([UInt8], UInt32))
    {
        var checksum = CRC32C(method: method)
        checksum.update(known.0)
        #expect(checksum.value == known.1)
    }

    @Test func `both methods agree on every length and every division in two`() {
        let bytes = (0..<70).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 7 &+ 3) }
        for count in 0...bytes.count {
            let whole = [UInt8](bytes.prefix(count))
            let expected = bitwise(whole)
            for method in Self.methods {
                for cut in 0...count {
                    var checksum = CRC32C(method: method)
                    checksum.update([UInt8](whole[..<cut]))
                    checksum.update([UInt8](whole[cut...]))
                    #expect(checksum.value == expected, "\(method) of \(count) bytes cut at \(cut)")
                }
            }
        }
    }

    @Test func `a place in the middle of memory makes no difference`() {
        let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 131) }
        for start in 0..<9 {
            let expected = bitwise([UInt8](bytes[start...]))
            for method in Self.methods {
                var checksum = CRC32C(method: method)
                checksum.update(unsafe bytes.span.extracting(start...).bytes)
                #expect(checksum.value == expected)
            }
        }
    }

    /// As in the definition: bit by bit.
    private func bitwise(_ bytes: [UInt8]) -> UInt32 {
        var state = UInt32.max
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = state & 1 == 1
                state >>= 1
                if isOdd { state ^= 0x82F6_3B78 }
            }
        }
        return ~state
    }
}
