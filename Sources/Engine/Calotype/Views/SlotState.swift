/// What a view shows in the place of a picture.
public enum SlotState<Picture: Sendable>: Sendable {
    /// Nothing is wanted, or the load was cancelled.
    case placeholder
    /// A picture is on its way.
    case loading
    /// The picture that was asked for last.
    case image(Picture)
    /// The picture that was asked for last could not be loaded; the pipeline's errors are `CalotypeError`.
    case failure(any Error)

    /// The picture, if there is one.
    public var image: Picture? {
        if case .image(let picture) = self { picture } else { nil }
    }

    /// Why there is no picture, if the load failed.
    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// Whether a picture is on its way.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Whether there is only the placeholder to show.
    public var isPlaceholder: Bool {
        if case .placeholder = self { true } else { false }
    }
}
