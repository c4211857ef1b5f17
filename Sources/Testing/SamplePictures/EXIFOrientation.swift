public import CalotypeCore

/// Writes the EXIF orientation into encoded pictures (EXIF 2.32, section 4.5.4; TIFF 6.0).
public enum EXIFOrientation: Sendable {
    /// Inserts an APP1 segment with `orientation`, 1 to 8, into `jpeg`.
    ///
    /// Returns bytes that are not a JPEG unchanged. An existing APP1 segment follows the new one, so that
    /// readers use the new one.
    public static func inserted(_ orientation: Int, intoJPEG jpeg: [UInt8]) -> [UInt8] {
        guard jpeg.starts(with: [0xff, 0xd8]), (1...8).contains(orientation) else { return jpeg }
        return jpeg[..<2] + segment(UInt8(orientation)) + jpeg[2...]
    }

    private static func segment(_ orientation: UInt8) -> [UInt8] {
        let payload = Array("Exif\0\0".utf8) + directory(orientation)
        let length = payload.count + 2
        return [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    /// A little-endian TIFF: one directory with one entry, tag 274, an unsigned short.
    private static func directory(_ orientation: UInt8) -> [UInt8] {
        let header: [UInt8] = [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0]
        let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        return header + [1, 0] + entry + [0, 0, 0, 0]
    }
}

extension Bitmap {
    /// Returns the pixels as a camera held at another angle would store them.
    ///
    /// Applying `orientation` to the result restores the picture.
    ///
    /// - Parameter orientation: an EXIF orientation, 1 to 8 (TIFF 6.0, tag 274); others change nothing.
    /// - Returns: the turned bitmap; from 5 on, width and height are exchanged.
    public func stored(for orientation: Int) -> Bitmap {
        guard (2...8).contains(orientation) else { return self }
        let stored = orientation >= 5 ? size.transposed : size
        let walk = Walk(orientation, over: size)
        var turned = [UInt8](repeating: 0, count: rgba.count)
        var out = 0
        for row in 0..<stored.height {
            var source = walk.start &+ row &* walk.down
            for _ in 0..<stored.width {
                for channel in 0..<4 {
                    turned[out &+ channel] = rgba[source &+ channel]
                }
                out &+= 4
                source &+= walk.right
            }
        }
        return Bitmap(size: stored, rgba: turned)
    }
}

/// How to step through an upright bitmap to read it in stored order, in byte offsets.
private struct Walk {
    let start: Int
    /// From one stored pixel to the next in its row.
    let right: Int
    /// From one stored row to the next.
    let down: Int

    init(_ orientation: Int, over size: PixelSize) {
        let row = size.width * 4
        // The sides of the upright picture that contain the first stored row and the first stored column.
        let fromRight = [2, 3, 6, 7].contains(orientation)
        let fromBottom = [3, 4, 7, 8].contains(orientation)
        let across = fromRight ? -4 : 4
        let along = fromBottom ? -row : row
        start = (fromRight ? row - 4 : 0) + (fromBottom ? row * (size.height - 1) : 0)
        right = orientation >= 5 ? along : across
        down = orientation >= 5 ? across : along
    }
}
