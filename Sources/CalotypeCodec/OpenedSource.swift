import CalotypeCore

/// A source whose header was read.
struct OpenedSource {
    let encoded: EncodedSource
    let facts: ImageFacts
    /// Whether it ends early; such a source is opened only where partial pictures are accepted.
    let isCut: Bool
}
