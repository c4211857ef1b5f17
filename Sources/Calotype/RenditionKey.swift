import CalotypeCore

/// What two requests must have in common to share one rendition.
///
/// The priority is left out: it changes when a rendition is made, not what it is.
struct RenditionKey: Hashable, Sendable {
    let source: ImageSource
    let transform: Transform
    let output: OutputFormat
    let limits: ImageLimits

    init(_ request: ImageRequest) {
        source = request.source
        transform = request.transform
        output = request.output
        limits = request.limits
    }
}
