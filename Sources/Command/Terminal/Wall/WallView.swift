import Calotype
import CalotypeCatalog
import CalotypeCore
import TaskFlow

/// Runs a wall: keys change the machine, the visible pictures follow it, and frames show both.
///
/// A key press draws a frame immediately. Other changes call `onChange`, for frames that are drawn when there
/// is time. A frame that is equal to the previous one is not shown.
@MainActor
final class WallView {
    /// Called when a new frame may be necessary.
    var onChange: (() -> Void)?
    private(set) var machine: WallMachine
    let pictures: WallPictures?
    private let source: WallSource
    private let options: WallOptions
    private let model: AppStoreSearchModel
    private let albums: AlbumLoad
    private let tally: WallTally
    private let show: (Frame) -> Void
    private let redraw: () -> Void
    private var shown: Frame?

    init(
        _ source: WallSource,
        options: WallOptions,
        parts: WallParts,
        size: ScreenSize,
        show: @escaping (Frame) -> Void,
        redraw: @escaping () -> Void
    ) {
        self.source = source
        self.options = options
        model = parts.model
        albums = parts.albums
        tally = parts.tally
        pictures = parts.supply.map { WallPictures($0, cachePolicy: options.cachePolicy) }
        self.show = show
        self.redraw = redraw
        machine = WallMachine(size, cell: options.cell, content: .initial)
    }

    /// Loads the source and draws.
    func begin() {
        pictures?.onChange = { [weak self] in self?.onChange?() }
        model.onChange = { [weak self] _ in self?.takeContent() }
        albums.onChange = { [weak self] in self?.takeContent() }
        switch source {
        case .pictures: break
        case .album(let id): albums.load(id)
        case .search(let query): model.search(query)
        }
        takeContent()
        draw()
    }

    /// Handles an event and draws.
    ///
    /// - Returns: Whether the wall continues.
    func take(_ event: TerminalEvent) -> Bool {
        switch event {
        case .resized(let size): machine.resize(size)
        case .key(let key): if let effect = machine.press(key), !perform(effect) { return false }
        }
        showPictures()
        draw()
        return true
    }

    /// Shows the current frame, unless it is already shown.
    func draw() {
        var figures = tally.figures
        figures.memoryHits += pictures?.reusedCount ?? 0
        let frame = WallPainter(machine: machine, states: pictures?.states ?? [:], figures: figures).frame()
        guard frame != shown else { return }
        shown = frame
        show(frame)
    }

    /// Cancels all work.
    func leave() {
        model.onChange = nil
        albums.onChange = nil
        pictures?.onChange = nil
        model.cancel()
        albums.cancel()
        pictures?.leave()
    }
}

extension WallView {
    private func perform(_ effect: WallEffect) -> Bool {
        switch effect {
        case .quit: return false
        case .redraw: redraw()
        case .retry: pictures?.retry()
        case .searchAgain: searchAgain()
        case .leaveSearch: leaveSearch()
        case .search(let term):
            var query = options.query
            query.term = term
            model.search(query)
        }
        return true
    }

    private func searchAgain() {
        if case .failed = model.state { model.retry() } else { albums.retry() }
    }

    private func leaveSearch() {
        if model.state.isLoading { model.cancel() } else { model.clear() }
    }

    private func takeContent() {
        let isSearch = if case .search = source { true } else { false }
        machine.show(WallContent(model.state, canBeLeft: !isSearch) ?? content)
        showPictures()
        onChange?()
    }

    /// The content to show when no search is active.
    private var content: WallContent {
        switch source {
        case .pictures(let title, let pictures): .list(title: title, pictures)
        case .album: albums.content
        case .search: .initial
        }
    }

    private func showPictures() {
        pictures?.show(machine.picturesInSight, on: machine.size)
    }
}
