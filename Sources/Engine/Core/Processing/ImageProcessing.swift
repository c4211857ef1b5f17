/// A step on the pixels of a result, after scaling and edits and before encoding.
///
/// Conform to it for what Calotype does not have, and add the step to ``ImageRequest/processors``. The steps of
/// a request run one after another on a thread of the codec, once for all callers that share the result.
public protocol ImageProcessing: Sendable {
    /// The name of the step with all its settings, 1 to 500 bytes.
    ///
    /// Results are shared and stored under it, also between runs of a program: equal names must mean equal
    /// results. Begin it with the name of your project, so that it differs from the names of others.
    var identifier: String { get }

    /// Returns the new pixels, of any size.
    ///
    /// A long step checks `Task.isCancelled`; nothing else can stop it.
    ///
    /// - Throws: Any error; the result then fails as `processor_failed`. A `CalotypeError` is thrown
    ///   unchanged, and so is a `CancellationError` if nobody waits for the result any more.
    func process(_ bitmap: Bitmap) throws -> Bitmap
}

extension ImageRequest {
    /// The steps on the pixels after scaling and edits, in order; none by default, and at most 16.
    ///
    /// The result keeps no metadata of its source, so a request for some is refused.
    public var processors: [any ImageProcessing] {
        get { transform.processors }
        set { transform.processors = newValue }
    }
}

/// A step with the identity that its name gave it when it was added.
package struct ProcessingStep: Hashable, Sendable {
    package let processor: any ImageProcessing
    package let identifier: String

    init(_ processor: any ImageProcessing) {
        self.processor = processor
        identifier = processor.identifier
    }

    package static func == (left: Self, right: Self) -> Bool { left.identifier == right.identifier }

    package func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension Transform {
    /// The names of the processors; empty if there are none.
    ///
    /// A length before each name separates it from the next, whatever it contains.
    package var processorNames: String {
        steps.map { " \($0.identifier.utf8.count):\($0.identifier)" }.joined()
    }

    /// Describes what is wrong with the processors; `nil` if nothing is.
    var refusedProcessing: String? {
        let names = steps.map(\.identifier)
        if names.isEmpty { return nil }
        if names.count > 16 { return "\(names.count) processors, which must be 16 or fewer" }
        if let name = names.first(where: { !(1...500).contains($0.utf8.count) }) {
            return "a processor whose identifier has \(name.utf8.count) bytes, which must be 1 to 500"
        }
        if !edits.kept.isEmpty { return "processors and metadata of the source, which they cannot keep" }
        return edits.mostBytes == nil
            ? nil : "processors and a maximum number of bytes, which exclude each other"
    }
}
