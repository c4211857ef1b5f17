public import CalotypeCore
import TaskFlow

/// The place of one picture in a view, such as a cell or an avatar.
///
/// It shows only the picture that was requested last. Requesting another picture cancels the previous load,
/// and a late result of that load is dropped. A cancelled load leaves the placeholder, never a failure.
/// Loading and decoding happen off the main actor; only the result is set on it. Releasing a slot cancels its
/// load.
///
/// ```swift
/// let slot = ImageSlot(pipeline.bitmapLoader)
/// slot.onChange = { state in cell.draw(state) }
/// slot.show(ImageRequest(url, .fill(120, 120)))
/// ```
@MainActor
public final class ImageSlot<Picture: Sendable> {
    /// The state that the view shows; initially the placeholder.
    public private(set) var state: SlotState<Picture> = .placeholder
    /// The last requested picture; `nil` if none is wanted.
    public private(set) var request: ImageRequest?
    /// Called after each change of `state`, with the new one.
    public var onChange: (@MainActor (SlotState<Picture>) -> Void)?

    private let loader: ImageLoader<Picture>
    private let readers = LatestValue<SlotState<Picture>>(.placeholder)
    private var load: ScopedTask?
    /// The number of the current load, to distinguish it from earlier ones.
    private var lastLoad: UInt64 = 0

    /// Creates a slot that shows the placeholder.
    public init(_ loader: ImageLoader<Picture>) {
        self.loader = loader
    }

    deinit {
        load?.cancel()
        readers.finish()
    }

    /// The states from the current one on, until the slot is released.
    ///
    /// A slow reader receives the newest state and misses those in between.
    public var states: AsyncStream<SlotState<Picture>> {
        let reader = readers.makeReader()
        return AsyncStream { await reader.next() }
    }

    /// Whether the slot has a load in progress.
    var isBusy: Bool { load != nil }

    /// Loads and shows the picture of `request` instead of any previous one.
    ///
    /// Does nothing if that picture is already shown or loading. After a failure it retries the load.
    public func show(_ request: ImageRequest) {
        guard request != self.request || state.error != nil else { return }
        abandon()
        self.request = request
        do {
            load = try start(request)
            change(to: .loading)
        } catch {
            change(to: .failure(ImagePipeline.closedError))
        }
    }

    /// Cancels the load and shows the placeholder.
    public func clear() {
        abandon()
        request = nil
        if !state.isPlaceholder { change(to: .placeholder) }
    }

    private func start(_ request: ImageRequest) throws(TaskFlowError) -> ScopedTask {
        let number = lastLoad
        let priority = LivePriority(request)
        // Owner: the loader's scope, which awaits it; the slot cancels it.
        return try loader.scope.start(name: "slot", priority: priority.current.taskPriority) {
            [loader, weak self] in
            let outcome = await loader.outcome(of: request, priority: priority)
            await self?.finish(number, outcome)
        }
    }

    /// Cancels the current load, and ignores any result that it still returns.
    private func abandon() {
        load?.cancel()
        load = nil
        lastLoad += 1
    }

    private func finish(_ number: UInt64, _ outcome: Result<Picture, any Error>) {
        guard number == lastLoad else { return }
        load = nil
        switch outcome {
        case .success(let picture): change(to: .image(picture))
        case .failure(is CancellationError): clear()
        case .failure(let error): change(to: .failure(error))
        }
    }

    /// Call this last: the observer may start another load synchronously.
    private func change(to state: SlotState<Picture>) {
        self.state = state
        readers.send(state)
        onChange?(state)
    }
}

/// The state that a view shows in the place of a picture.
public enum SlotState<Picture: Sendable>: Sendable {
    /// No picture is wanted, or the load was cancelled.
    case placeholder
    /// A picture is loading.
    case loading
    /// The last requested picture.
    case image(Picture)
    /// The last requested picture could not be loaded. The pipeline's errors are `CalotypeError`.
    case failure(any Error)

    /// The picture, if there is one.
    public var image: Picture? {
        if case .image(let picture) = self { picture } else { nil }
    }

    /// The error, if the load failed.
    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// Whether a picture is loading.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Whether the slot shows only the placeholder.
    public var isPlaceholder: Bool {
        if case .placeholder = self { true } else { false }
    }
}
