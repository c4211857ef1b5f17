import CalotypeCodec
import CalotypeCore
import TaskFlow

/// A source complete on this machine; what it holds goes with its last user.
final class LoadedSource: Sendable {
    let input: CodecInput
    let receipt: SourceReceipt
    /// Whether the lasting store has it, or is about to.
    let isKept: Bool
    private let permit: Permit?
    private let spool: SpoolFile?
    private let onEnd: @Sendable () -> Void

    init(
        _ body: SourceBody.Product,
        _ receipt: SourceReceipt,
        isKept: Bool = false,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        input = body.input
        permit = body.permit
        spool = body.spool
        self.receipt = receipt
        self.isKept = isKept
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }

    /// Keeps the memory accounted for and the spool file open up to here.
    func stay() {
        withExtendedLifetime(self) {}
    }
}
