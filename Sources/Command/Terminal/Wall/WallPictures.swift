import Calotype
import CalotypeCore

/// The visible pictures: a slot for each that is not in memory, in one gallery for each box size.
///
/// A picture that leaves the screen is cancelled and forgotten; a picture in memory appears immediately.
@MainActor
final class WallPictures {
    private struct Wanted: Hashable {
        let request: ImageRequest
        let box: PictureBox
    }

    private typealias Gallery = ImageGallery<WallPlace, TerminalPicture>

    /// Called after each change of a visible picture.
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

    /// The state of the picture in each place.
    var states: [WallPlace: SlotState<TerminalPicture>] {
        var states = found.mapValues { SlotState.image($0) }
        for gallery in galleries.values {
            for place in gallery.indices { states[place] = gallery[place]?.state }
        }
        return states
    }

    /// Number of pictures that were already in memory.
    var reusedCount: Int { supply.reused() }

    /// Number of pictures that are loading.
    var loadCount: Int { galleries.values.reduce(0) { $0 + $1.loadCount } }

    /// Loads pictures that became visible, and cancels those that are no longer visible.
    func show(_ pictures: [WantedPicture], on screen: ScreenSize) {
        let before = wanted
        wanted = Dictionary(uniqueKeysWithValues: pictures.map { ($0.place, self.wanted($0, screen)) })
        for (place, old) in before where wanted[place] != old { end(place, old.box) }
        for (place, new) in wanted where before[place] != new { begin(place, new) }
    }

    /// Retries the pictures that failed.
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

/// A visible picture: its place, and its area.
struct WantedPicture: Hashable, Sendable {
    let place: WallPlace
    let url: String
    let area: CellArea
    /// The caption; `nil` if there is no line for it.
    let caption: String?
    let isSelected: Bool
}

/// The place of a picture in a wall, which identifies its slot.
enum WallPlace: Hashable, Sendable {
    /// An entry's cell.
    case cell(Int)
    /// An app's icon next to its text.
    case icon
    /// A screenshot of the open app.
    case screenshot(Int)
    /// The full-screen picture.
    case large
}

/// The source of a wall's pictures.
struct PictureSupply: Sendable {
    /// Returns a loader of pictures for a box.
    let loader: @Sendable (PictureBox) -> ImageLoader<TerminalPicture>
    /// Returns a finished picture from memory.
    let kept: @Sendable (ImageRequest, PictureBox) -> TerminalPicture?
    /// Returns the pixels that fill a box.
    let pixels: @Sendable (PictureBox) -> PixelSize
    /// Returns how often a finished picture was reused from memory.
    let reused: @Sendable () -> Int

    /// Returns a supply that loads with `pipeline` and draws with `drawing`; `nil` if the style shows no
    /// pictures.
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
