internal import CalotypeCCrypto

/// A keyed digest (RFC 2104) under construction, for bytes that arrive in pieces.
@safe
package struct HMACStream: ~Copyable {
    private let context: OpaquePointer
    private let function: DigestFunction

    /// Starts a keyed digest of no bytes; `key` may have any length.
    package init(_ function: DigestFunction, key: [UInt8]) throws(DigestError) {
        guard let algorithm = Self.algorithm, let context = unsafe EVP_MAC_CTX_new(algorithm.pointer) else {
            throw .taken("make an HMAC")
        }
        // A missing key would mean the previous one.
        let isStarted = unsafe (key + [0]).withUnsafeBufferPointer { key in
            unsafe Self.withParameters(function) {
                unsafe EVP_MAC_init(context, key.baseAddress, key.count - 1, $0) == 1
            }
        }
        guard isStarted else {
            unsafe EVP_MAC_CTX_free(context)
            throw .taken("start HMAC-\(function.rawValue)")
        }
        unsafe self.context = context
        self.function = function
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }

    /// Adds `bytes`.
    package mutating func update(_ bytes: RawSpan) throws(DigestError) {
        let isDone = unsafe bytes.withUnsafeBytes {
            unsafe EVP_MAC_update(context, $0.baseAddress, $0.count) == 1
        }
        guard isDone else { throw .taken("continue HMAC-\(function.rawValue)") }
    }

    /// Adds `bytes`.
    package mutating func update(_ bytes: [UInt8]) throws(DigestError) {
        try update(unsafe bytes.span.bytes)
    }

    /// Ends the computation and returns the keyed digest.
    package consuming func finish() throws(DigestError) -> Digest {
        var isDone = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: function.length) { buffer, filled in
            isDone = unsafe EVP_MAC_final(context, buffer.baseAddress, &filled, buffer.count) == 1
            if !isDone { filled = 0 }
        }
        guard isDone else { throw .taken("end HMAC-\(function.rawValue)") }
        return Digest(bytes: bytes)
    }

    /// Computes the keyed digest of `bytes`.
    package static func digest(
        _ function: DigestFunction,
        of bytes: [UInt8],
        key: [UInt8]
    ) throws(DigestError) -> Digest {
        var stream = try HMACStream(function, key: key)
        try stream.update(bytes)
        return try stream.finish()
    }

    private static let algorithm = LibraryAuthentication("HMAC")

    private static func withParameters<Result>(
        _ function: DigestFunction,
        _ body: (UnsafePointer<OSSL_PARAM>?) -> Result
    ) -> Result {
        var name = function.rawValue.utf8CString
        // A parameter keeps the pointers to its key and its value.
        return unsafe OSSL_MAC_PARAM_DIGEST.withCString { key in
            unsafe name.withUnsafeMutableBufferPointer { name in
                let parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(key, name.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe parameters.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
            }
        }
    }
}

/// An authentication function in libcrypto.
// SAFETY: the object does not change after it is created, and libcrypto counts references to it atomically.
@safe
final class LibraryAuthentication: @unchecked Sendable {
    let pointer: OpaquePointer

    init?(_ name: String) {
        guard let pointer = unsafe EVP_MAC_fetch(nil, name, nil) else {
            ERR_clear_error()
            return nil
        }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_MAC_free(pointer)
    }
}

/// A comparison whose duration reveals nothing to an attacker.
package enum ConstantTime {
    /// Whether both contain the same bytes; the time depends only on their lengths.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return true }
                return unsafe CRYPTO_memcmp(first, second, one.count) == 0
            }
        }
    }
}
