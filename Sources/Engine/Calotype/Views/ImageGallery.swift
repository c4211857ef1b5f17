public import CalotypeCore

/// The pictures of a list or grid of which only a part is on the screen: a slot for each index that is displayed.
///
/// ```swift
/// let gallery = ImageGallery<Int, Bitmap>(pipeline.bitmapLoader) { index in
///     ImageRequest(photos[index], .fill(120, 120))
/// }
/// gallery.onChange = { index, state in cells[index]?.draw(state) }
/// ```
/// Call `willDisplay` when a cell comes in, `didEndDisplay` when it goes out, and `leave` when the whole list goes. A
/// picture is told with its index, so that none lands in a cell that shows another index by then.
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
    ///   - request: Says what picture belongs to an index; `nil` for one that has none and keeps its placeholder.
    public init(
        _ loader: ImageLoader<Picture>,
        request: @escaping @MainActor (Index) -> ImageRequest?
    ) {
        self.loader = loader
        self.request = request
    }

    /// The indices that are displayed.
    public var indices: Set<Index> { Set(slots.keys) }

    /// The number of loads that have not ended.
    public var loadCount: Int { slots.values.count { $0.isBusy } }

    /// The slot at `index`; `nil` when that is not displayed.
    public subscript(index: Index) -> ImageSlot<Picture>? { slots[index] }

    /// Starts loading the picture of `index`, and gives its slot.
    ///
    /// A second call changes nothing, unless the index has another picture now or the load had failed.
    @discardableResult
    public func willDisplay(_ index: Index) -> ImageSlot<Picture> {
        let slot = slots[index] ?? makeSlot(index)
        if let request = request(index) { slot.show(request) } else { slot.clear() }
        return slot
    }

    /// Cancels the load of `index` and forgets its slot; nothing more is told of it.
    public func didEndDisplay(_ index: Index) {
        if let slot = slots.removeValue(forKey: index) { Self.end(slot) }
    }

    /// Cancels all loads and forgets all slots, as when the user leaves the screen; nothing more is told of them.
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
