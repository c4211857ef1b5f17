package import CalotypeCore

/// Reads the EXIF fields of a picture as texts (CIPA DC-008), with the names that the Python package exifread
/// gives them.
package enum EXIFFields {
    /// A field, such as `Image Make` and `Canon`.
    package struct Field: Hashable, Sendable {
        /// The directory and the name.
        package let name: String
        /// The value.
        package let value: String
    }

    private static let mostCharacters = 1000
    private static let mostNumbers = 64
    private static let exifDirectory = 0x8769
    private static let gpsDirectory = 0x8825

    /// Returns the fields with a name in the picture `bytes`; none if it has no block, or a damaged one.
    package static func fields(of bytes: [UInt8], _ format: ImageFormat) -> [Field] {
        let block = EXIFBlock.block(ByteReader(bytes), format)
        guard !block.isEmpty else { return [] }
        var reader = ByteReader(block)
        guard let first = try? TIFFDirectory(&reader, in: 0..<block.count) else { return [] }
        var fields = fields(of: first, &reader, "Image", image)
        for (tag, title, names) in [(exifDirectory, "EXIF", exif), (gpsDirectory, "GPS", gps)] {
            guard let offset = try? first.values(&reader, tag: tag, most: 1).first,
                let directory = try? TIFFDirectory(&reader, in: 0..<block.count, at: offset)
            else { continue }
            fields += self.fields(of: directory, &reader, title, names)
        }
        return fields
    }

    private static func fields(
        of directory: TIFFDirectory,
        _ reader: inout ByteReader,
        _ title: String,
        _ names: [Int: String]
    ) -> [Field] {
        var fields: [Field] = []
        let entries = stride(
            from: directory.entries.lowerBound,
            to: directory.entries.upperBound,
            by: directory.entryBytes
        )
        for entry in entries.prefix(200) {
            // What a damaged entry says is left out.
            guard let tag = try? directory.number(&reader, entry, 2), let name = names[tag],
                let value = try? value(at: entry, of: directory, &reader), !value.isEmpty
            else { continue }
            let isOrientation = title == "Image" && tag == 274
            fields.append(
                Field(name: "\(title) \(name)", value: isOrientation ? orientations[value] ?? value : value)
            )
        }
        return fields
    }

    private static func value(
        at entry: Int,
        of directory: TIFFDirectory,
        _ reader: inout ByteReader
    ) throws(CodecError) -> String {
        guard let field = try directory.field(&reader, at: entry) else { return "" }
        let type = try directory.number(&reader, entry + 2, 2)
        if type == 2 || type == 7 {
            let bytes = try reader.bytes(field.start, min(field.count, mostCharacters)).prefix { $0 != 0 }
            return String(decoding: bytes, as: UTF8.self).trimmed
        }
        var numbers: [String] = []
        for index in 0..<min(field.count, mostNumbers) {
            let start = field.start + index * field.size
            numbers.append(try number(at: start, type, field.size, of: directory, &reader))
        }
        return numbers.count == 1 ? numbers[0] : "[\(numbers.joined(separator: ", "))]"
    }

    private static func number(
        at start: Int,
        _ type: Int,
        _ size: Int,
        of directory: TIFFDirectory,
        _ reader: inout ByteReader
    ) throws(CodecError) -> String {
        guard type == 5 || type == 10 else {
            return "\(signed(try directory.number(&reader, start, size), type, size))"
        }
        let above = signed(try directory.number(&reader, start, 4), type, 4)
        let below = signed(try directory.number(&reader, start + 4, 4), type, 4)
        guard below != 0 else { return "\(above)/0" }
        let divisor = commonDivisor(abs(above), abs(below))
        let (upper, lower) = (above / divisor, below / divisor)
        return lower == 1 ? "\(upper)" : "\(upper)/\(lower)"
    }

    /// Returns the number whose bits are `number`, if the type has a sign.
    private static func signed(_ number: Int, _ type: Int, _ size: Int) -> Int {
        guard [6, 8, 9, 10].contains(type), size < 8, number >= 1 << (8 * size - 1) else { return number }
        return number - 1 << (8 * size)
    }

    private static func commonDivisor(_ a: Int, _ b: Int) -> Int {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }

    private static let orientations = [
        "1": "Horizontal (normal)", "2": "Mirrored horizontal", "3": "Rotated 180", "4": "Mirrored vertical",
        "5": "Mirrored horizontal then rotated 90 CCW", "6": "Rotated 90 CW",
        "7": "Mirrored horizontal then rotated 90 CW", "8": "Rotated 90 CCW",
    ]

    private static let image = [
        0x010E: "ImageDescription", 0x010F: "Make", 0x0110: "Model", 0x0112: "Orientation",
        0x011A: "XResolution", 0x011B: "YResolution", 0x0128: "ResolutionUnit", 0x0131: "Software",
        0x0132: "DateTime", 0x013B: "Artist", 0x013E: "WhitePoint", 0x013F: "PrimaryChromaticities",
        0x0213: "YCbCrPositioning", 0x8298: "Copyright", 0x8769: "ExifOffset", 0x8825: "GPSInfo",
    ]

    private static let exif = [
        0x829A: "ExposureTime", 0x829D: "FNumber", 0x8822: "ExposureProgram", 0x8827: "ISOSpeedRatings",
        0x9000: "ExifVersion", 0x9003: "DateTimeOriginal", 0x9004: "DateTimeDigitized",
        0x9201: "ShutterSpeedValue", 0x9202: "ApertureValue", 0x9203: "BrightnessValue",
        0x9204: "ExposureBiasValue", 0x9205: "MaxApertureValue", 0x9206: "SubjectDistance",
        0x9207: "MeteringMode", 0x9208: "LightSource", 0x9209: "Flash", 0x920A: "FocalLength",
        0xA001: "ColorSpace", 0xA002: "ExifImageWidth", 0xA003: "ExifImageLength",
        0xA20E: "FocalPlaneXResolution", 0xA20F: "FocalPlaneYResolution",
        0xA210: "FocalPlaneResolutionUnit", 0xA217: "SensingMethod", 0xA401: "CustomRendered",
        0xA402: "ExposureMode", 0xA403: "WhiteBalance", 0xA404: "DigitalZoomRatio",
        0xA405: "FocalLengthIn35mmFilm", 0xA406: "SceneCaptureType", 0xA408: "Contrast",
        0xA409: "Saturation", 0xA40A: "Sharpness", 0xA432: "LensSpecification", 0xA433: "LensMake",
        0xA434: "LensModel",
    ]

    private static let gps = [
        1: "GPSLatitudeRef", 2: "GPSLatitude", 3: "GPSLongitudeRef", 4: "GPSLongitude", 5: "GPSAltitudeRef",
        6: "GPSAltitude", 7: "GPSTimeStamp", 16: "GPSImgDirectionRef", 17: "GPSImgDirection",
        18: "GPSMapDatum", 29: "GPSDate",
    ]
}

extension String {
    /// The text without blanks at either end.
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
