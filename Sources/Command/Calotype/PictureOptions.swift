import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeCore

/// The options that describe the output image.
///
/// `fetch` and `thumb` share them, except that only `fetch` takes
/// several sizes and formats.
enum PictureOptions {
    enum Format: String, CaseIterable, Sendable {
        case jpeg, png, webp, avif, gif, tiff, heic, jxl, original
    }

    static let sides = 1...65_535
    static let fit = Option("fit", .dimensions(sides), "Scale the whole image to fit into this box.")
    static let fill = Option(
        "fill",
        .dimensions(sides),
        "Scale the image to fill this box, and crop the rest evenly, or as --gravity says."
    )
    static let size = Option("size", .integer(sides), "Same as --fit NxN.")
    static let enlarge = Flag("enlarge", "Enlarge images that are smaller than the box.")
    static let sizes = Option(
        "sizes",
        .list(.integer(sides), atMost: FetchOptions.sizeLimit, placeholder: "N,N..."),
        """
        Make a file for each of these sizes, as --size does for one. All come from one download and one \
        decode. The files are named 000000000-N.jpg.
        """
    )
    static let format = Option(
        "format",
        .cases as ValueType<Format>,
        default: "jpeg",
        "Output format. \(originalHelp)"
    )
    static let formats = Option(
        "format",
        .list(.cases as ValueType<Format>, atMost: Format.allCases.count),
        default: "jpeg",
        "Output format. \(originalHelp) Separate several formats with commas to make a file of each."
    )
    static let quality = Option(
        "quality",
        .integer(1...100),
        default: "82, AVIF and HEIC 60",
        "Quality of JPEG, WebP, AVIF, HEIC and JPEG XL, 1 to 100."
    )

    static let progressive = Flag(
        "progressive",
        "Make progressive JPEGs, which appear coarse first and sharpen while they load."
    )
    static let lossless = Flag("lossless", "Make lossless WebP images. --quality has no effect on them.")

    static let depth = Option(
        "depth",
        .choice(["8": 8, "16": 16]),
        default: "8",
        "Bits per sample of PNG images. 16 keeps the precision of depth maps and scans, in files about twice as large."
    )

    static let effort = Option(
        "effort",
        .cases as ValueType<Effort>,
        default: "balanced",
        """
        Scaling quality: fast takes the least time, balanced gives at least the quality of libvips, best \
        uses all pixels of the source, however long that takes.
        """
    )
    static let linear = Flag(
        "linear",
        """
        Average pixels in linear light instead of encoded values. Fine bright patterns on dark, such as \
        stars or lights at night, keep their brightness. This takes more time.
        """
    )
    static let allowTruncated = Flag(
        "allow-truncated",
        """
        If a file ends early, use the part that is there instead of failing. The result is reported as \
        partial, and is never cached.
        """
    )
    private static let originalHelp =
        "original keeps the source's format, and also its encoding if only metadata must be removed."

    /// The options for one rendition of a source.
    static let single = Command.Group(
        "Image",
        [
            fit, fill, size, enlarge, format, quality, progressive, lossless, depth, effort, linear,
            allowTruncated,
        ]
    )
    /// The options for one or more renditions of a source.
    static let several = Command.Group(
        "Image",
        [
            fit, fill, size, sizes, enlarge, formats, quality, progressive, lossless, depth, effort, linear,
            allowTruncated,
        ]
    )
    static let exclusive = [[fit.spec.name, fill.spec.name, size.spec.name, sizes.spec.name]]

    static func transform(_ arguments: ParsedArguments) -> Transform {
        var transform = box(arguments)
        transform.effort = arguments[effort] ?? transform.effort
        transform.isLinearLight = arguments[linear]
        transform.edits = EditOptions.edits(arguments)
        return transform
    }

    static func limits(_ arguments: ParsedArguments) -> ImageLimits {
        var limits = ImageLimits()
        limits.acceptsTruncated = arguments[allowTruncated]
        return limits
    }

    private static func box(_ arguments: ParsedArguments) -> Transform {
        let enlarges = arguments[enlarge]
        if let box = arguments[fit] { return .fit(box.width, box.height, enlarges: enlarges) }
        if let box = arguments[fill] { return .fill(box.width, box.height, enlarges: enlarges) }
        if let side = arguments[size] { return .fit(side, side, enlarges: enlarges) }
        return .none
    }

    /// Returns the output format: from `--format`, else from the extension of `path`, else JPEG.
    ///
    /// - Throws: `UsageError` for an extension whose format cannot be written, and for options that need another
    ///   format.
    static func output(
        _ arguments: ParsedArguments,
        path: String,
        command: String
    ) throws(UsageError) -> OutputFormat {
        let output = try namedOutput(arguments, path: path, command: command)
        try EditOptions.check(arguments, [output], command: command)
        return output
    }

    private static func namedOutput(
        _ arguments: ParsedArguments,
        path: String,
        command: String
    ) throws(UsageError) -> OutputFormat {
        if let format = arguments[format] { return output(format, arguments) }
        guard let ending = ending(of: path) else { return output(.jpeg, arguments) }
        switch ending {
        case "jpg", "jpeg", "jpe", "jfif": return output(.jpeg, arguments)
        case "tif": return output(.tiff, arguments)
        default:
            if let format = Format(rawValue: ending), format != .original { return output(format, arguments) }
            throw unknownEnding(
                ending,
                "end the name in .jpg, .png, .webp, .avif, .gif, .tiff, .heic or .jxl, or add --format",
                command
            )
        }
    }

    /// Returns the extension of the file name in `path`, in lower case; `nil` if there is none.
    static func ending(of path: String) -> String? {
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else {
            return nil
        }
        let ending = name[name.index(after: dot)...].lowercased()
        return ending.isEmpty ? nil : ending
    }

    /// Returns the error for a file name with the extension of a format that cannot be written.
    static func unknownEnding(_ ending: String, _ remedy: String, _ command: String) -> UsageError {
        UsageError(
            "cannot write images with the extension '\(ending)'; \(remedy)",
            program: CalotypeProgram.program.name,
            command: command
        )
    }

    /// Returns all output formats.
    ///
    /// - Throws: `UsageError` for options that need another format.
    static func outputs(_ arguments: ParsedArguments, command: String) throws(UsageError) -> [OutputFormat] {
        let outputs = (arguments[formats] ?? [.jpeg]).map { output($0, arguments) }
        try EditOptions.check(arguments, outputs, command: command)
        return outputs
    }

    private static func output(_ format: Format, _ arguments: ParsedArguments) -> OutputFormat {
        let quality = arguments[quality]
        return switch format {
        case .jpeg where arguments[progressive]:
            .progressiveJPEG(quality: quality ?? OutputFormat.defaultQuality)
        case .webp where arguments[lossless]: .losslessWebP
        case .jpeg: quality.map { .jpeg(quality: $0) } ?? .jpeg
        case .png where arguments[depth] == 16: .png16
        case .png: .png
        case .webp: quality.map { .webp(quality: $0) } ?? .webp
        case .avif: quality.map { .avif(quality: $0) } ?? .avif
        case .gif: .gif
        case .tiff: .tiff
        case .heic: .heic(quality: quality ?? 60)
        case .jxl: .jxl(quality: quality ?? OutputFormat.defaultQuality)
        case .original: quality.map { .original(quality: $0) } ?? .original
        }
    }
}
