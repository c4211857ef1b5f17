import CalotypeCore
import TaskFlow

@testable import CalotypeCodec

/// A picture of four colours, one for each corner, so that every turn and mirroring of it looks different.
func fourCorners(_ width: Int, _ height: Int, alpha: UInt8 = 255) -> Bitmap {
    // By whole rows: a step for each pixel takes long where the compiler does not optimise.
    let rows = [false, true].map { isBottom in
        [false, true].flatMap { isRight in
            let pixel = Corner(isRight: isRight, isBottom: isBottom).colour + [alpha]
            return repeatElement(pixel, count: isRight ? width - width / 2 : width / 2).flatMap(\.self)
        }
    }
    var rgba: [UInt8] = []
    rgba.reserveCapacity(width * height * 4)
    for y in 0..<height {
        rgba += rows[y >= height / 2 ? 1 : 0]
    }
    return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
}

/// A picture that compresses badly, the same for the same seed.
func noise(_ width: Int, _ height: Int, seed: UInt64 = 1) -> Bitmap {
    var random = SplitMix64(seed: seed)
    // A word for each opaque pixel: four bytes one after another take long where the compiler does not optimise.
    let words = (0..<width * height).map { _ in
        (UInt32(truncatingIfNeeded: random.next()) | 0xff00_0000).littleEndian
    }
    let rgba = unsafe words.withUnsafeBytes { unsafe Array($0) }
    return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
}

/// A corner of a picture, with the colour that `fourCorners` gives it.
enum Corner: Equatable {
    case topLeft, topRight, bottomLeft, bottomRight

    init(isRight: Bool, isBottom: Bool) {
        self =
            switch (isRight, isBottom) {
            case (false, false): .topLeft
            case (true, false): .topRight
            case (false, true): .bottomLeft
            case (true, true): .bottomRight
            }
    }

    var colour: [UInt8] {
        switch self {
        case .topLeft: [230, 30, 30]
        case .topRight: [30, 200, 30]
        case .bottomLeft: [30, 30, 230]
        case .bottomRight: [240, 220, 40]
        }
    }
}

extension Bitmap {
    /// The colours in the middle of the four quarters, told by the nearest colour of `fourCorners`.
    var corners: [Corner?] {
        let (w, h) = (size.width, size.height)
        return [(w / 4, h / 4), (w * 3 / 4, h / 4), (w / 4, h * 3 / 4), (w * 3 / 4, h * 3 / 4)].map(corner)
    }

    /// The pixel at column `x` and row `y`.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * size.width + x) * 4
        return Array(rgba[start..<start + 4])
    }

    private func corner(_ x: Int, _ y: Int) -> Corner? {
        let all: [Corner] = [.topLeft, .topRight, .bottomLeft, .bottomRight]
        return all.first { corner in
            zip(pixel(x, y), corner.colour).allSatisfy { abs(Int($0) - Int($1)) < 40 }
        }
    }
}

extension CodedPicture {
    /// The encoded bytes; empty for pixels.
    var bytes: [UInt8] {
        guard case .encoded(let bytes, _) = content else { return [] }
        return bytes
    }

    /// The format of the encoded bytes; `nil` for pixels.
    var format: ImageFormat? {
        guard case .encoded(_, let format) = content else { return nil }
        return format
    }

    /// The pixels; `nil` for encoded bytes.
    var bitmap: Bitmap? {
        guard case .pixels(let bitmap) = content else { return nil }
        return bitmap
    }
}

/// The four corners in reading order, as they are in an upright `fourCorners`.
let uprightCorners: [Corner?] = [.topLeft, .topRight, .bottomLeft, .bottomRight]

/// The code of the error that `body` throws, or `nil`.
func code(_ body: () async throws -> Void) async -> ErrorCode? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? CalotypeError)?.code
    }
}

/// Runs `body` with each way in which the codec may decode: fast where that is possible, libvips alone, and
/// libvips in workers, which name a system call that their sandbox refuses.
func withEachCodec(
    _ configuration: ImageCodecConfiguration = ImageCodecConfiguration(),
    executor: (any TaskExecutor)? = nil,
    _ body: (ImageCodec) async throws -> Void
) async throws {
    for usesLibvipsOnly in [false, true] {
        var configuration = configuration
        configuration.usesLibvipsOnly = usesLibvipsOnly
        try await withImageCodec(configuration, executor: executor, body)
    }
    var confined = configuration
    confined.usesLibvipsOnly = true
    confined.isolation = .all
    // A test may leave the codec hardly any memory, but a worker needs some for its threads.
    confined.workers.memory = .mebibytes(512)
    confined.workers.program = WorkerProgram(path: TestWorker.path, arguments: ["naming-calls"])
    try await withImageCodec(confined, executor: executor, body)
}

/// Reads the header of `file` with a few bytes changed, many times; whatever it says must not trap.
func probeDamaged(_ file: [UInt8]) {
    var random = SplitMix64(seed: 1)
    let edges: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
    for _ in 0..<1_000 {
        var damaged = file
        let start = Int.random(in: 0..<min(file.count, 120), using: &random)
        for place in start..<min(start + Int.random(in: 1...8, using: &random), file.count) {
            damaged[place] =
                Bool.random(using: &random)
                ? edges[Int.random(in: 0..<edges.count, using: &random)]
                : UInt8.random(in: 0...255, using: &random)
        }
        _ = try? ImageProbe.facts(of: .bytes(damaged))
        _ = try? ImageProbe.facts(fromPrefix: damaged, isComplete: false)
    }
}

extension ImageFormat {
    /// The formats that results can have, also without worker processes.
    static let encodable = allCases.filter { !$0.isOnlyRead && !$0.needsWorker }
}

extension RelativeArea {
    /// The middle of a picture.
    static let middle = RelativeArea(x: 0.2, y: 0.3)

    /// An area with equal margins; less than a half each.
    private init(x: Double, y: Double) {
        guard let area = RelativeArea(left: x, top: y, right: 1 - x, bottom: 1 - y) else {
            preconditionFailure("margins of \(x) and \(y)")
        }
        self = area
    }
}
