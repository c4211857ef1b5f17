public import CalotypeCore
import CalotypePlatform

/// A photograph-like picture.
///
/// Equal seeds, sizes and motifs give equal pictures on every machine.
public struct SamplePicture: Hashable, Sendable {
    /// The seed of all random choices.
    public let seed: UInt64
    /// The width and height in pixels, upright.
    public let size: PixelSize
    /// What the picture shows.
    public let motif: SampleMotif

    /// About how many pixels the scene paints before the picture is enlarged.
    private static let paintedPixels = 400_000

    /// Creates a picture.
    ///
    /// Without a motif, the seed chooses one.
    ///
    /// - Parameters:
    ///   - seed: the seed of all random choices.
    ///   - size: width and height, 1 to 65,535 each.
    ///   - motif: the motif; chosen by the seed if `nil`.
    public init(seed: UInt64, size: PixelSize, motif: SampleMotif? = nil) {
        self.seed = seed
        self.size = PixelSize(width: Self.clamped(size.width), height: Self.clamped(size.height))
        var random = SeededRandom(seed: seed &+ 1)
        self.motif = motif ?? random.one(of: SampleMotif.allCases)
    }

    /// Draws the picture.
    ///
    /// 12 megapixels take about 0.2 s of CPU time in a release build.
    public func draw() -> Bitmap {
        draw(painted: Self.paintedPixels)
    }

    /// Draws the picture.
    ///
    /// The scene paints about `count` pixels.
    func draw(painted count: Int) -> Bitmap {
        var random = SeededRandom(seed: seed)
        var canvas = Canvas(paintedSize(count))
        motif.paint(on: &canvas, &random)
        var exposure = Exposure(canvas, random)
        return exposure.bitmap(size)
    }

    /// Returns the picture's size, scaled down to `count` pixels.
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

/// The motifs of drawn pictures.
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
