internal import CalotypeCCrypto

/// A digest in the making, for bytes that come piece by piece.
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

    /// Ends the digest.
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
