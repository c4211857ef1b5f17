public import CalotypeCore
import TaskFlow

/// The place of one picture in a view: a cell, an avatar.
///
/// It shows what was asked for last and nothing else. Asking for another picture cancels the load of the one before, and
/// a result that comes late all the same is dropped. A cancelled load leaves the placeholder, never a failure. Loading
/// and decoding happen off the main actor; only the result is put down on it. A slot that is let go cancels its load.
///
/// ```swift
/// let slot = ImageSlot(pipeline.bitmapLoader)
/// slot.onChange = { state in cell.draw(state) }
/// slot.show(ImageRequest(url, .fill(120, 120)))
/// ```
@MainActor
public final class ImageSlot<Picture: Sendable> {
    /// What is shown; the placeholder to begin with.
    public private(set) var state: SlotState<Picture> = .placeholder
    /// What was asked for last; `nil` when nothing is wanted.
    public private(set) var request: ImageRequest?
    /// Called after each change of `state`, with the new one.
    public var onChange: (@MainActor (SlotState<Picture>) -> Void)?

    private let loader: ImageLoader<Picture>
    private let readers = LatestValue<SlotState<Picture>>(.placeholder)
    private var load: ScopedTask?
    /// Tells the load that counts from those before it.
    private var lastLoad: UInt64 = 0

    /// Creates a slot that shows the placeholder.
    public init(_ loader: ImageLoader<Picture>) {
        self.loader = loader
    }

    deinit {
        load?.cancel()
        readers.finish()
    }

    /// The states from the present one on, until the slot is let go; a slow reader gets the newest and misses those
    /// between.
    public var states: AsyncStream<SlotState<Picture>> {
        let reader = readers.makeReader()
        return AsyncStream { await reader.next() }
    }

    /// Whether the slot keeps a load that has not ended.
    var isBusy: Bool { load != nil }

    /// Loads and shows the picture of `request` in place of whatever was asked for before.
    ///
    /// Nothing changes when that picture is shown or on its way already. After a failure it is tried again.
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

    private func start(_ request: ImageRequest) throws(TaskScopeEnded) -> ScopedTask {
        let number = lastLoad
        let priority = LivePriority(request)
        // Owner: the loader's scope, which awaits it; the slot cancels it.
        return try loader.scope.start(name: "slot", priority: priority.current.taskPriority) {
            [loader, weak self] in
            let outcome = await loader.outcome(of: request, priority: priority)
            await self?.finish(number, outcome)
        }
    }

    /// Cancels the load that was started last; what it still gives does not count.
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

    /// Comes last wherever it is called, because the observer may ask for another picture at once.
    private func change(to state: SlotState<Picture>) {
        self.state = state
        readers.send(state)
        onChange?(state)
    }
}

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
