import Calotype
import CalotypeCore

/// The pictures in sight: a slot for each that is not in memory, in a gallery for each size of box.
///
/// What leaves the sight is cancelled and forgotten; what comes into it and is in memory is there at once.
@MainActor
final class WallPictures {
    private struct Wanted: Hashable {
        let request: ImageRequest
        let box: PictureBox
    }

    private typealias Gallery = ImageGallery<WallPlace, TerminalPicture>

    /// Called after each change of a picture in sight.
    var onChange: (() -> Void)?
    private let supply: PictureSupply
    private let cachePolicy: CachePolicy
    private var wanted: [WallPlace: Wanted] = [:]
    private var found: [WallPlace: TerminalPicture] = [:]
    private var galleries: [PictureBox: Gallery] = [:]

    init(_ supply: PictureSupply, cachePolicy: CachePolicy) {
        self.supply = supply
        self.cachePolicy = cachePolicy
    }

    /// What is shown where.
    var states: [WallPlace: SlotState<TerminalPicture>] {
        var states = found.mapValues { SlotState.image($0) }
        for gallery in galleries.values {
            for place in gallery.indices { states[place] = gallery[place]?.state }
        }
        return states
    }

    /// How often a picture was there already.
    var reusedCount: Int { supply.reused() }

    /// The pictures that are on their way.
    var loadCount: Int { galleries.values.reduce(0) { $0 + $1.loadCount } }

    /// Loads what is in sight now and was not, and cancels what was and is no more.
    func show(_ pictures: [WantedPicture], on screen: ScreenSize) {
        let before = wanted
        wanted = Dictionary(uniqueKeysWithValues: pictures.map { ($0.place, self.wanted($0, screen)) })
        for (place, old) in before where wanted[place] != old { end(place, old.box) }
        for (place, new) in wanted where before[place] != new { begin(place, new) }
    }

    /// Tries again what has failed.
    func retry() {
        for gallery in galleries.values {
            for place in gallery.indices where gallery[place]?.state.error != nil {
                gallery.willDisplay(place)
            }
        }
    }

    /// Cancels all loads and forgets all pictures.
    func leave() {
        for gallery in galleries.values { gallery.leave() }
        (wanted, found, galleries) = ([:], [:], [:])
    }

    private func wanted(_ picture: WantedPicture, _ screen: ScreenSize) -> Wanted {
        let box = PictureBox(columns: picture.area.columns, rows: picture.area.rows, on: screen)
        let pixels = supply.pixels(box)
        var request = ImageRequest(.url(picture.url), .fit(pixels.width, pixels.height))
        request.cachePolicy = cachePolicy
        return Wanted(request: request, box: box)
    }

    private func begin(_ place: WallPlace, _ new: Wanted) {
        if let picture = supply.kept(new.request, new.box) {
            found[place] = picture
        } else {
            gallery(new.box).willDisplay(place)
        }
    }

    private func end(_ place: WallPlace, _ box: PictureBox) {
        found[place] = nil
        galleries[box]?.didEndDisplay(place)
        if galleries[box]?.indices.isEmpty == true { galleries[box] = nil }
    }

    private func gallery(_ box: PictureBox) -> Gallery {
        if let gallery = galleries[box] { return gallery }
        let gallery = Gallery(supply.loader(box)) { [weak self] place in self?.wanted[place]?.request }
        gallery.onChange = { [weak self] _, _ in self?.onChange?() }
        galleries[box] = gallery
        return gallery
    }
}

/// A picture that is in sight: where it is, and the cells it may take.
struct WantedPicture: Hashable, Sendable {
    let place: WallPlace
    let url: String
    let area: CellArea
    /// The words below it; `nil` where there is no line for them.
    let caption: String?
    let isSelected: Bool
}

/// The place of a picture in a wall: what its slot is known by.
enum WallPlace: Hashable, Sendable {
    /// An entry's cell.
    case cell(Int)
    /// An app's icon beside its text.
    case icon
    /// A screenshot of the app that is open.
    case screenshot(Int)
    /// The picture that has the screen for itself.
    case large
}

/// Where a wall's pictures come from.
struct PictureSupply: Sendable {
    /// What loads pictures for a box.
    let loader: @Sendable (PictureBox) -> ImageLoader<TerminalPicture>
    /// A picture that is finished and in memory.
    let kept: @Sendable (ImageRequest, PictureBox) -> TerminalPicture?
    /// The pixels that fill a box.
    let pixels: @Sendable (PictureBox) -> PixelSize
    /// How often finished pictures in memory have helped so far.
    let reused: @Sendable () -> Int

    /// What a pipeline loads and a drawing draws; nothing where the style shows no pictures.
    static func pictures(_ pipeline: ImagePipeline, _ drawing: PictureDrawing) -> PictureSupply? {
        guard drawing.style != .none else { return nil }
        return PictureSupply(
            loader: { drawing.loader(pipeline, box: $0) },
            kept: { drawing.kept($0, box: $1) },
            pixels: { $0.pixels(for: drawing.style) },
            reused: { drawing.counts.reused }
        )
    }
}
