import CalotypeCodec
import CalotypeCore
import TaskFlow

/// A source complete on this machine; what it holds goes with its last user.
final class LoadedSource: Sendable {
    let input: CodecInput
    let receipt: SourceReceipt
    /// Whether the lasting store has it, or is about to.
    var isKept: Bool { keeping.withLock { $0 } }
    private let keeping: Guarded<Bool>
    private let permit: Permit?
    /// The file that it is in; `nil` for bytes, and for a file that is not the pipeline's.
    let spool: SpoolFile?
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
        keeping = Guarded(isKept)
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }

    /// Has the source kept by `keep`, unless it is: whoever comes first.
    func keep(_ keep: () -> Bool) {
        let isFirst = keeping.withLock { isKept in
            defer { isKept = true }
            return !isKept
        }
        guard isFirst, !keep() else { return }
        keeping.withLock { $0 = false }
    }

    /// Keeps the memory accounted for and the spool file open up to here.
    func stay() {
        withExtendedLifetime(self) {}
    }
}
