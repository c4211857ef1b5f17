import CalotypeHTTP

/// A picture that may be used again, and which version of its source it was made of.
struct KeptPicture: Sendable {
    let picture: Picture
    /// `nil` where the source came from no origin: it has no age.
    let version: SourceVersion?
    /// Up to when it answers without a look at the version; `nil` where it always does.
    let freshUntil: WallTime?
    /// The entity tag of those who serve it.
    let tag = DerivedText()
}
