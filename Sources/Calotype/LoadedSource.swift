import CalotypeCodec
import CalotypeCore
import TaskFlow

/// A source complete on this machine, with what it holds until it is decoded.
struct LoadedSource: Sendable {
    let input: CodecInput
    let byteCount: ByteCount
    private let permit: Permit?
    private let spool: SpoolFile?

    init(input: CodecInput, byteCount: ByteCount, permit: Permit? = nil, spool: SpoolFile? = nil) {
        self.input = input
        self.byteCount = byteCount
        self.permit = permit
        self.spool = spool
    }

    /// Gives the memory back; the spool file goes with its last owner.
    func release() {
        permit?.release()
    }
}
