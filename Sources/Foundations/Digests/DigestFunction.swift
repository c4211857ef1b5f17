internal import CalotypeCCrypto

/// A function that makes a short fingerprint of bytes.
package enum DigestFunction: String, CaseIterable, Sendable {
    /// 16 bytes (RFC 1321); only where a protocol asks for it.
    case md5 = "MD5"
    /// 20 bytes (RFC 3174); only where a protocol asks for it.
    case sha1 = "SHA1"
    /// 32 bytes (RFC 6234).
    case sha256 = "SHA256"
    /// 64 bytes (RFC 6234).
    case sha512 = "SHA512"

    /// The length of this function's digests in bytes.
    package var length: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// The library's own object, which it looks up only once: that takes longer than a short digest.
    func fetched() throws(DigestError) -> LibraryDigest {
        let digest: LibraryDigest? =
            switch self {
            case .md5: Self.md5Digest
            case .sha1: Self.sha1Digest
            case .sha256: Self.sha256Digest
            case .sha512: Self.sha512Digest
            }
        guard let digest else { throw DigestError("find \(rawValue)", code: 0) }
        return digest
    }

    private static let md5Digest = LibraryDigest(DigestFunction.md5.rawValue)
    private static let sha1Digest = LibraryDigest(DigestFunction.sha1.rawValue)
    private static let sha256Digest = LibraryDigest(DigestFunction.sha256.rawValue)
    private static let sha512Digest = LibraryDigest(DigestFunction.sha512.rawValue)
}

/// A digest function as libcrypto has it.
// SAFETY: the object does not change after it is made, and libcrypto counts references to it atomically.
@safe
final class LibraryDigest: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Fails where the library's settings forbid the function.
    init?(_ name: String) {
        guard let pointer = unsafe EVP_MD_fetch(nil, name, nil) else {
            ERR_clear_error()
            return nil
        }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_MD_free(pointer)
    }
}
