import CalotypeCore

/// A source whose header was read.
struct OpenedSource {
    let encoded: EncodedSource
    let facts: ImageFacts
    /// Whether it ends early.
    let isCut: Bool
}
