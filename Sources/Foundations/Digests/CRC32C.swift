internal import CalotypeCPOSIX

/// The checksum of iSCSI (RFC 3720, appendix B.4), which detects bytes that changed by accident.
package struct CRC32C: Hashable, Sendable {
    /// How the checksum is computed; all methods give the same result.
    package enum Method: Sendable {
        /// With the processor's instructions for it.
        case native
        /// With tables.
        case portable

        /// The fastest method that this processor supports.
        package static let best: Method = isNativeAvailable ? .native : .portable
        /// Whether this processor has instructions for the checksum.
        package static var isNativeAvailable: Bool { calotype_crc32c_has_native() }
    }

    /// The checksum of all bytes so far.
    package private(set) var value: UInt32 = 0
    private let method: Method

    /// Starts with no bytes; the processor must support `method`.
    package init(method: Method = .best) {
        self.method = method
    }

    /// Adds `bytes`.
    package mutating func update(_ bytes: RawSpan) {
        guard !bytes.isEmpty else { return }
        let start = value
        value = unsafe bytes.withUnsafeBytes { bytes in
            let first = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return switch method {
            case .native: unsafe calotype_crc32c_native(start, first, bytes.count)
            case .portable: unsafe calotype_crc32c_portable(start, first, bytes.count)
            }
        }
    }

    /// Adds `bytes`.
    package mutating func update(_ bytes: [UInt8]) {
        update(unsafe bytes.span.bytes)
    }

    /// The checksum of `bytes`.
    package static func of(_ bytes: [UInt8]) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(bytes)
        return checksum.value
    }
}
