public import CalotypeCore

/// The visible pictures of a list or grid: a slot for each displayed index.
///
/// ```swift
/// let gallery = ImageGallery<Int, Bitmap>(pipeline.bitmapLoader) { index in
///     ImageRequest(photos[index], .fill(120, 120))
/// }
/// gallery.onChange = { index, state in cells[index]?.draw(state) }
/// ```
///
/// Call `willDisplay` when a cell appears, `didEndDisplay` when it disappears, and `leave` when the whole
/// list does. Each change carries the index of its picture, so that no picture appears in a cell that has
/// since been reused for another index.
@MainActor
public final class ImageGallery<Index: Hashable & Sendable, Picture: Sendable> {
    /// Called after each change of a displayed slot, with its index and its new state.
    public var onChange: (@MainActor (Index, SlotState<Picture>) -> Void)?

    private let loader: ImageLoader<Picture>
    private let request: @MainActor (Index) -> ImageRequest?
    private var slots: [Index: ImageSlot<Picture>] = [:]

    /// Creates a gallery that displays nothing.
    ///
    /// - Parameters:
    ///   - loader: Loads the pictures.
    ///   - request: Returns the request for an index, or `nil` for an index that has no picture and keeps its
    ///     placeholder.
    public init(
        _ loader: ImageLoader<Picture>,
        request: @escaping @MainActor (Index) -> ImageRequest?
    ) {
        self.loader = loader
        self.request = request
    }

    /// The displayed indices.
    public var indices: Set<Index> { Set(slots.keys) }

    /// The number of loads in progress.
    public var loadCount: Int { slots.values.count { $0.isBusy } }

    /// The slot at `index`, or `nil` if the index is not displayed.
    public subscript(index: Index) -> ImageSlot<Picture>? { slots[index] }

    /// Starts loading the picture of `index`, and returns its slot.
    ///
    /// A second call does nothing, unless the index has another picture now or the load failed.
    @discardableResult
    public func willDisplay(_ index: Index) -> ImageSlot<Picture> {
        let slot = slots[index] ?? makeSlot(index)
        if let request = request(index) { slot.show(request) } else { slot.clear() }
        return slot
    }

    /// Cancels the load of `index` and discards its slot, without further calls to the observer.
    public func didEndDisplay(_ index: Index) {
        if let slot = slots.removeValue(forKey: index) { Self.end(slot) }
    }

    /// Cancels all loads and discards all slots, without further calls to the observer.
    ///
    /// Call it when the user leaves the screen.
    public func leave() {
        let left = slots
        slots = [:]
        for slot in left.values { Self.end(slot) }
    }

    private func makeSlot(_ index: Index) -> ImageSlot<Picture> {
        let slot = ImageSlot(loader)
        slot.onChange = { [weak self] state in self?.onChange?(index, state) }
        slots[index] = slot
        return slot
    }

    private static func end(_ slot: ImageSlot<Picture>) {
        slot.onChange = nil
        slot.clear()
    }
}
