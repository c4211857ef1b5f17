import Calotype
import CalotypeCatalog
import CalotypeCore
import TaskFlow

/// A wall at work: keys change the machine, the pictures in sight follow it, and frames show both.
///
/// A key is answered with a frame at once. What else changes is told to `onChange`, for frames that come when there is
/// time for them. A frame like the one before is not shown.
@MainActor
final class WallView {
    /// Called when there may be another frame to draw.
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

    /// Asks for what the source names, and draws.
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

    /// Does what an event asks for, and draws.
    ///
    /// - Returns: Whether the wall goes on.
    func take(_ event: TerminalEvent) -> Bool {
        switch event {
        case .resized(let size): machine.resize(size)
        case .key(let key): if let effect = machine.press(key), !perform(effect) { return false }
        }
        showPictures()
        draw()
        return true
    }

    /// Shows the frame that belongs to what there is now, unless it is shown already.
    func draw() {
        var figures = tally.figures
        figures.memoryHits += pictures?.reusedCount ?? 0
        let frame = WallPainter(machine: machine, states: pictures?.states ?? [:], figures: figures).frame()
        guard frame != shown else { return }
        shown = frame
        show(frame)
    }

    /// Cancels all that is under way.
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

    /// What is shown where nothing is searched for.
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
