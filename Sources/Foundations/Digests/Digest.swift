internal import CalotypeCCrypto

/// The fingerprint of some bytes.
///
/// Comparing two digests takes a time that depends on their contents. If one of them is secret, use
/// ``ConstantTime``.
package struct Digest: Hashable, Sendable, CustomStringConvertible {
    /// The digest itself, as many bytes as its function's ``DigestFunction/length``.
    package let bytes: [UInt8]

    /// Creates a digest from its bytes.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Computes the digest of `bytes`.
    package init(_ function: DigestFunction, of bytes: RawSpan) throws(DigestError) {
        var stream = try DigestStream(function)
        try stream.update(bytes)
        self = try stream.finish()
    }

    /// Computes the digest of `bytes`.
    package init(_ function: DigestFunction, of bytes: [UInt8]) throws(DigestError) {
        try self.init(function, of: unsafe bytes.span.bytes)
    }

    /// Computes the digest of `text` in UTF-8.
    package init(_ function: DigestFunction, of text: String) throws(DigestError) {
        try self.init(function, of: unsafe text.utf8.span.bytes)
    }

    /// The digest in lower-case hexadecimal.
    package var hexadecimal: String { Hexadecimal.text(bytes) }
    package var description: String { hexadecimal }
}

/// A function that computes a short fingerprint of bytes.
package enum DigestFunction: String, CaseIterable, Sendable {
    /// 16 bytes (RFC 1321); only if a protocol requires it.
    case md5 = "MD5"
    /// 20 bytes (RFC 3174); only if a protocol requires it.
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

    /// The library's object, which is looked up only once: that takes longer than a short digest.
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

/// A digest function in libcrypto.
// SAFETY: the object does not change after it is created, and libcrypto counts references to it atomically.
@safe
final class LibraryDigest: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Fails if the library's settings forbid the function.
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

/// A digest under construction, for bytes that arrive in pieces.
@safe
package struct DigestStream: ~Copyable {
    private let context: OpaquePointer
    private let function: DigestFunction

    /// Starts a digest of no bytes.
    package init(_ function: DigestFunction) throws(DigestError) {
        let digest = try function.fetched()
        guard let context = unsafe EVP_MD_CTX_new() else { throw .taken("make a digest") }
        guard unsafe EVP_DigestInit_ex2(context, digest.pointer, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw .taken("start \(function.rawValue)")
        }
        unsafe self.context = context
        self.function = function
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    /// Adds `bytes`.
    package mutating func update(_ bytes: RawSpan) throws(DigestError) {
        let isDone = unsafe bytes.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1
        }
        guard isDone else { throw .taken("continue \(function.rawValue)") }
    }

    /// Adds `bytes`.
    package mutating func update(_ bytes: [UInt8]) throws(DigestError) {
        try update(unsafe bytes.span.bytes)
    }

    /// Ends the computation and returns the digest.
    package consuming func finish() throws(DigestError) -> Digest {
        var isDone = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: function.length) { buffer, filled in
            var count: UInt32 = 0
            isDone = unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, &count) == 1
            filled = isDone ? Int(count) : 0
        }
        guard isDone else { throw .taken("end \(function.rawValue)") }
        return Digest(bytes: bytes)
    }
}

/// libcrypto could not compute a digest: its settings forbid the function, or memory ran out.
package struct DigestError: Error, CustomStringConvertible {
    /// What failed.
    package let action: String
    /// The library's number for the reason; zero if it gave none.
    package let code: UInt

    init(_ action: String, code: UInt) {
        self.action = action
        self.code = code
    }

    /// Takes the calling thread's first reason and clears the rest.
    ///
    /// The next failure then finds only its own.
    static func taken(_ action: String) -> DigestError {
        let code = ERR_get_error()
        ERR_clear_error()
        return DigestError(action, code: code)
    }

    package var description: String {
        guard code != 0, let reason = unsafe ERR_reason_error_string(code) else { return "cannot \(action)" }
        return "cannot \(action): " + (unsafe String(cString: reason))
    }
}
