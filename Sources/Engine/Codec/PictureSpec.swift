public import CalotypeCore

/// One picture that a decode has to yield, encoded or as pixels.
public enum PictureSpec: Hashable, Sendable {
    /// Encoded bytes.
    case encoded(RenditionSpec)
    /// Straight-alpha sRGB pixels, scaled and cut by the transform.
    case pixels(Transform)

    /// How the picture is scaled and cut.
    public var transform: Transform {
        switch self {
        case .encoded(let spec): spec.transform
        case .pixels(let transform): transform
        }
    }
}
