public import CalotypeCore
import Glibc

/// A photograph-like picture that is the same for the same seed, size and motif, on every machine.
public struct SamplePicture: Hashable, Sendable {
    /// What all random choices are made from.
    public let seed: UInt64
    /// Width and height in pixels, upright.
    public let size: PixelSize
    /// What the picture shows.
    public let motif: SampleMotif

    /// About how many pixels are painted by the scene before it is enlarged.
    private static let paintedPixels = 400_000

    /// Creates a picture; the seed chooses the motif where none is given.
    ///
    /// - Parameters:
    ///   - seed: what all random choices are made from.
    ///   - size: width and height, 1 to 65,535 each.
    ///   - motif: what the picture shows.
    public init(seed: UInt64, size: PixelSize, motif: SampleMotif? = nil) {
        self.seed = seed
        self.size = PixelSize(width: Self.clamped(size.width), height: Self.clamped(size.height))
        var random = SeededRandom(seed: seed &+ 1)
        self.motif = motif ?? random.one(of: SampleMotif.allCases)
    }

    /// Draws the picture; about 0.2 s of processor time for 12 megapixels in a release build.
    public func draw() -> Bitmap {
        draw(painted: Self.paintedPixels)
    }

    /// Draws the picture with about this many pixels painted by the scene.
    func draw(painted count: Int) -> Bitmap {
        var random = SeededRandom(seed: seed)
        var canvas = Canvas(paintedSize(count))
        motif.paint(on: &canvas, &random)
        var exposure = Exposure(canvas, random)
        return exposure.bitmap(size)
    }

    /// The picture's size, scaled down to what is painted.
    private func paintedSize(_ count: Int) -> PixelSize {
        let excess = Float(size.pixelCount) / Float(count)
        guard excess > 1 else { return size }
        let scale = 1 / excess.squareRoot()
        return PixelSize(
            width: max(1, Int(Float(size.width) * scale)),
            height: max(1, Int(Float(size.height) * scale))
        )
    }

    private static func clamped(_ length: Int) -> Int {
        max(1, min(65_535, length))
    }
}

/// What a drawn picture shows.
public enum SampleMotif: String, CaseIterable, Hashable, Sendable {
    case mountains, harbour, skyline, dunes, forest, islands, lights, fruit, houses, aurora, balloons, meadow

    /// Paints the motif over the whole canvas.
    func paint(on canvas: inout Canvas, _ random: inout SeededRandom) {
        switch self {
        case .mountains: paintMountains(on: &canvas, &random)
        case .harbour: paintHarbour(on: &canvas, &random)
        case .skyline: paintSkyline(on: &canvas, &random)
        case .dunes: paintDunes(on: &canvas, &random)
        case .forest: paintForest(on: &canvas, &random)
        case .islands: paintIslands(on: &canvas, &random)
        case .lights: paintLights(on: &canvas, &random)
        case .fruit: paintFruit(on: &canvas, &random)
        case .houses: paintHouses(on: &canvas, &random)
        case .aurora: paintAurora(on: &canvas, &random)
        case .balloons: paintBalloons(on: &canvas, &random)
        case .meadow: paintMeadow(on: &canvas, &random)
        }
    }
}
