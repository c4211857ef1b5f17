/// Writes the EXIF orientation into encoded pictures (EXIF 2.32, section 4.5.4; TIFF 6.0).
public enum EXIFOrientation: Sendable {
    /// The JPEG in `jpeg` with an APP1 segment that says `orientation`, 1 to 8.
    ///
    /// Bytes that are no JPEG are returned as they are. An APP1 segment that is there already stays and comes second,
    /// so that readers take the new one.
    public static func inserted(_ orientation: Int, intoJPEG jpeg: [UInt8]) -> [UInt8] {
        guard jpeg.starts(with: [0xff, 0xd8]), (1...8).contains(orientation) else { return jpeg }
        return jpeg[..<2] + segment(UInt8(orientation)) + jpeg[2...]
    }

    private static func segment(_ orientation: UInt8) -> [UInt8] {
        let payload = Array("Exif\0\0".utf8) + directory(orientation)
        let length = payload.count + 2
        return [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    /// A little-endian TIFF with one directory of one entry: tag 274, one unsigned short.
    private static func directory(_ orientation: UInt8) -> [UInt8] {
        let header: [UInt8] = [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0]
        let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        return header + [1, 0] + entry + [0, 0, 0, 0]
    }
}
