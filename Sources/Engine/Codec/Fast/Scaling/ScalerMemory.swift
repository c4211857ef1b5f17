import CalotypeCScaler
import CalotypeCore

/// Zeroed memory for vectors.
// SAFETY: the memory is this owner's from init to deinit; whoever takes the pointer holds the owner as long.
@safe
struct ScalerMemory: ~Copyable {
    /// The first byte.
    let start: UnsafeMutableRawPointer

    /// - Throws: `encode_failed` where there is not enough memory.
    init(bytes: Int) throws(CalotypeError) {
        guard let memory = unsafe cscaler_allocate(bytes) else {
            throw CalotypeError(
                .encodeFailed,
                "there is not enough memory to scale the picture: \(ByteCount(bytes)) are needed",
                stage: .decode
            )
        }
        unsafe start = memory
    }

    deinit {
        unsafe cscaler_free(start)
    }
}
