import CalotypeDigests
import Testing

struct HMACTests {
    @Test(arguments: KnownHMAC.all)
    func `a keyed digest is the one that the standard gives`(_ known: KnownHMAC) throws {
        let digest = try HMACStream.digest(known.function, of: known.message, key: known.key)
        #expect(digest.hexadecimal.hasPrefix(known.digest))
    }

    @Test(arguments: DigestFunction.allCases)
    func `a message in pieces has the keyed digest of the whole`(_ function: DigestFunction) throws {
        let message = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
        var stream = try HMACStream(function, key: [1, 2, 3])
        for byte in message { try stream.update([byte]) }
        let digest = try stream.finish()
        let whole = try HMACStream.digest(function, of: message, key: [1, 2, 3])
        #expect(digest == whole)
        #expect(digest.bytes.count == function.length)
    }

    @Test func `another key makes another digest`() throws {
        let one = try HMACStream.digest(.sha256, of: [], key: [])
        let other = try HMACStream.digest(.sha256, of: [], key: [1])
        #expect(one != other)
        #expect(one.hexadecimal == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test func `digests are compared by all their bytes`() {
        let bytes = [UInt8](0..<32)
        #expect(ConstantTime.areEqual(bytes, bytes))
        #expect(ConstantTime.areEqual([], []))
        #expect(!ConstantTime.areEqual(bytes, []))
        #expect(!ConstantTime.areEqual(bytes, [UInt8](bytes.dropLast())))
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 0x80
            #expect(!ConstantTime.areEqual(bytes, other))
        }
    }
}

/// A message, a key and the keyed digest of RFC 2202 or RFC 4231.
struct KnownHMAC: CustomTestStringConvertible {
    let function: DigestFunction
    let key: [UInt8]
    let message: [UInt8]
    let digest: String

    init(_ function: DigestFunction, _ key: [UInt8], _ message: String, _ digest: String) {
        self.init(function, key, [UInt8](message.utf8), digest)
    }

    init(_ function: DigestFunction, _ key: [UInt8], _ message: [UInt8], _ digest: String) {
        (self.function, self.key, self.message, self.digest) = (function, key, message, digest)
    }

    var testDescription: String { "\(function) of \(message.count) bytes with a key of \(key.count)" }

    private static let jefe = [UInt8]("Jefe".utf8)
    private static let largeKeyText = "Test Using Larger Than Block-Size Key - Hash Key First"

    static let all = [
        KnownHMAC(.md5, of(0x0b, 16), "Hi There", "9294727a3638bb1c13f48ef8158bfc9d"),
        KnownHMAC(.md5, jefe, "what do ya want for nothing?", "750c783e6ab0b503eaa86e310a5db738"),
        KnownHMAC(.sha1, of(0x0b, 20), "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
        KnownHMAC(.sha1, jefe, "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        KnownHMAC(.sha1, of(0xaa, 80), largeKeyText, "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
        KnownHMAC(
            .sha256,
            of(0x0b, 20),
            "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        KnownHMAC(
            .sha256,
            jefe,
            "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        KnownHMAC(
            .sha256,
            of(0xaa, 20),
            of(0xdd, 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        KnownHMAC(.sha256, of(0x0c, 20), "Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
        KnownHMAC(
            .sha256,
            of(0xaa, 131),
            largeKeyText,
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        KnownHMAC(
            .sha512,
            jefe,
            "what do ya want for nothing?",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
    ]

    private static func of(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
}
