import CalotypeCore
import CommandLineKit

/// The options that say what a picture becomes; `fetch` and `thumb` share them.
enum PictureOptions {
    enum Format: String, CaseIterable, Sendable {
        case jpeg, png, webp, avif, original
    }

    static let sides = 1...65_535
    static let fit = Option("fit", .dimensions(sides), "Scale the whole picture to fit into this box.")
    static let fill = Option(
        "fill",
        .dimensions(sides),
        "Scale the picture to fill this box, and cut off evenly what stands out."
    )
    static let size = Option("size", .integer(sides), "The same as --fit NxN.")
    static let enlarge = Flag("enlarge", "Scale pictures up that are smaller than the box.")
    static let format = Option(
        "format",
        .cases as ValueType<Format>,
        default: "jpeg",
        "What is written. original keeps the source's format, and its very bytes when nothing changes."
    )
    static let quality = Option(
        "quality",
        .integer(1...100),
        default: "82, AVIF 60",
        "Quality of JPEG, WebP and AVIF."
    )

    static let group = Command.Group("Picture", [fit, fill, size, enlarge, format, quality])
    static let exclusive = [[fit.spec.name, fill.spec.name, size.spec.name]]

    static func transform(_ arguments: ParsedArguments) -> Transform {
        let enlarges = arguments[enlarge]
        if let box = arguments[fit] { return .fit(box.width, box.height, enlarges: enlarges) }
        if let box = arguments[fill] { return .fill(box.width, box.height, enlarges: enlarges) }
        if let side = arguments[size] { return .fit(side, side, enlarges: enlarges) }
        return .none
    }

    /// What is written: as `--format` says, else as the ending of `fileName` does, else JPEG.
    static func output(_ arguments: ParsedArguments, fileName: String = "") -> OutputFormat {
        let quality = arguments[quality]
        return switch arguments[format] ?? ending(of: fileName) ?? .jpeg {
        case .jpeg: quality.map { .jpeg(quality: $0) } ?? .jpeg
        case .png: .png
        case .webp: quality.map { .webp(quality: $0) } ?? .webp
        case .avif: quality.map { .avif(quality: $0) } ?? .avif
        case .original: quality.map { .original(quality: $0) } ?? .original
        }
    }

    private static func ending(of fileName: String) -> Format? {
        let ending = fileName.split(separator: ".").last.map { $0.lowercased() }
        return ending.flatMap { $0 == "jpg" ? .jpeg : $0 == "original" ? nil : Format(rawValue: $0) }
    }
}
