/// A picture that may be used again, and which version of its source it was made of.
struct KeptPicture: Sendable {
    let picture: Picture
    /// `nil` where the source came from no origin: it has no age.
    var version: SourceVersion?
}
