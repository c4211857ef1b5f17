import CalotypeDigests
import Testing

struct DigestTests {
    @Test(arguments: KnownDigest.all)
    func `a digest is the one that the standard gives`(_ known: KnownDigest) throws {
        let digest = try Digest(known.function, of: known.message)
        #expect(digest.hexadecimal == known.digest)
        #expect(digest.bytes.count == known.function.length)
    }

    @Test(arguments: DigestFunction.allCases, [1, 3, 64, 1000])
    func `a message in pieces has the digest of the whole`(_ function: DigestFunction, _ size: Int) throws {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var stream = try DigestStream(function)
        try stream.update([])
        for start in stride(from: 0, to: message.count, by: size) {
            try stream.update([UInt8](message[start..<min(start + size, message.count)]))
        }
        let digest = try stream.finish()
        let whole = try Digest(function, of: message)
        #expect(digest == whole)
    }

    @Test func `a text has the digest of its UTF-8`() throws {
        let text = try Digest(.sha256, of: "Grüße, 世界")
        let bytes = try Digest(.sha256, of: [UInt8]("Grüße, 世界".utf8))
        #expect(text == bytes)
    }

    @Test func `a stream that is dropped leaves the others alone`() throws {
        do {
            var dropped = try DigestStream(.sha1)
            try dropped.update([1, 2, 3])
        }
        let digest = try Digest(.sha1, of: "abc")
        #expect(digest.hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    @Test func `digests are made on many threads at the same time`() async throws {
        let expected = try Digest(.sha256, of: "abc")
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<200 {
                        let digest = try Digest(.sha256, of: "abc")
                        #expect(digest == expected)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A message and its digest as a standard gives them.
struct KnownDigest: CustomTestStringConvertible {
    let function: DigestFunction
    let message: [UInt8]
    let digest: String

    init(_ function: DigestFunction, _ message: [UInt8], _ digest: String) {
        self.function = function
        self.message = message
        self.digest = digest.filter { $0 != " " }
    }

    var testDescription: String { "\(function) of \(message.count) bytes" }

    private static let abc = [UInt8]("abc".utf8)
    private static let long = [UInt8](
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
            .utf8
    )
    private static let medium = [UInt8]("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)

    /// RFC 1321 (A.5) and RFC 6234 (8.5), and the empty message.
    static let all = [
        KnownDigest(.md5, [], "d41d8cd98f00b204e9800998ecf8427e"),
        KnownDigest(.md5, abc, "900150983cd24fb0d6963f7d28e17f72"),
        KnownDigest(.md5, [UInt8]("message digest".utf8), "f96b697d7cb7938d525a2f31aaf161d0"),
        KnownDigest(.sha1, [], "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        KnownDigest(.sha1, abc, "a9993e36 4706816a ba3e2571 7850c26c 9cd0d89d"),
        KnownDigest(.sha1, medium, "84983e44 1c3bd26e baae4aa1 f95129e5 e54670f1"),
        KnownDigest(
            .sha256,
            [],
            "e3b0c442 98fc1c14 9afbf4c8 996fb924 27ae41e4 649b934c a495991b 7852b855"
        ),
        KnownDigest(
            .sha256,
            abc,
            "ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad"
        ),
        KnownDigest(
            .sha256,
            medium,
            "248d6a61 d20638b8 e5c02693 0c3e6039 a33ce459 64ff2167 f6ecedd4 19db06c1"
        ),
        KnownDigest(
            .sha256,
            [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
            "cdc76e5c 9914fb92 81a1c7e2 84d73e67 f1809a48 a497200e 046d39cc c7112cd0"
        ),
        KnownDigest(
            .sha512,
            abc,
            """
            ddaf35a193617aba cc417349ae204131 12e6fa4e89a97ea2 0a9eeee64b55d39a \
            2192992a274fc1a8 36ba3c23a3feebbd 454d4423643ce80e 2a9ac94fa54ca49f
            """
        ),
        KnownDigest(
            .sha512,
            long,
            """
            8e959b75dae313da 8cf4f72814fc143f 8f7779c6eb9f7fa1 7299aeadb6889018 \
            501d289e4900f7e4 331b99dec4b5433a c7d329eeb6dd2654 5e96e55b874be909
            """
        ),
    ]
}
