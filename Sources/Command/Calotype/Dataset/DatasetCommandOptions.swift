import Calotype
import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeCore

/// The options of `dataset`, and how they set up the job and the pipeline.
enum DatasetCommandOptions {
    static let inputFormat = Option(
        "input-format",
        .inputFormat,
        default: "recognised",
        "Format of the list. All can be compressed with gzip or zstd."
    )
    static let urlColumn = Option("url-col", .text("NAME"), default: "url", "Column of the URLs.")
    static let captionColumn = Option(
        "caption-col",
        .text("NAME"),
        "Column of the captions, which are stored as text files."
    )
    static let columns = Option(
        "columns",
        .names,
        "Other columns to keep in the metadata, separated by commas."
    )
    static let hashColumn = Option(
        "verify-hash",
        .text("NAME"),
        "Column with the hash of the image's bytes; others fail with hash_mismatch."
    )
    static let boxColumn = Option(
        "bbox-col",
        .text("NAME"),
        """
        Column of boxes to blur, such as [[0.1, 0.2, 0.5, 0.6]]: left, top, right, bottom as fractions of the \
        sides. The column is kept.
        """
    )
    static let unique = Flag(
        "unique",
        "Leave out lines with a URL that an earlier line of the list has."
    )
    static let input = Command.Group(
        "Input",
        [
            inputFormat, urlColumn, captionColumn, columns, hashColumn, boxColumn, unique,
            retryFailed,
        ]
    )

    static let retryFailed = Option(
        "retry-failed",
        .codes,
        """
        Instead of reading a list, make new shards of the failures of a complete dataset: all, or those with \
        these error codes. Give only OUTPUT.
        """
    )

    static let format = Option(
        "output-format",
        .cases as ValueType<DatasetOptions.Format>,
        default: "webdataset",
        "webdataset makes a tar file per shard, files a folder, parquet a file with the images in a column."
    )
    static let perShard = Option(
        "number-sample-per-shard",
        .integer(1...10_000_000),
        default: "10000",
        "Number of samples of a shard."
    )
    static let shardDigits = Option(
        "oom-shard-count",
        .integer(1...12),
        default: "5",
        "Minimum number of digits of a shard's number."
    )
    static let hash = Option(
        "compute-hash",
        .cases as ValueType<DatasetOptions.Hash>,
        default: "sha256",
        "Record this hash of the downloaded bytes."
    )
    static let perceptualHash = Flag(
        "perceptual-hash",
        "Record the images' pHash, and which of a shard's images are almost equal."
    )
    static let noEXIF = Flag("no-exif", "Do not record the EXIF fields of the images.")
    static let slice = Option(
        "slice",
        .slice,
        "Make only the shards of this share, such as 1/4, so that several machines can share the work."
    )
    static let work = Option(
        "work",
        .text("DIR"),
        default: "in $XDG_STATE_HOME/calotype",
        """
        With s3://, the folder on a local disk for shards that are not uploaded yet and for what is needed to \
        continue.
        """
    )
    static let output = Command.Group(
        "Output",
        [
            format, perShard, shardDigits, hash, perceptualHash, noEXIF, slice, work,
            PublishOptions.allowHTTP,
        ]
    )

    static let imageSize = Option(
        "image-size",
        .sides,
        default: "256",
        """
        Side of the box for the images. Of several, such as 256,512, the first is KEY.jpg and the others are \
        KEY.512.jpg beside it, from one download.
        """
    )
    static let resizeMode = Option(
        "resize-mode",
        .cases as ValueType<ResizeMode>,
        default: "border",
        """
        border fits the image into the box and adds white borders, keep_ratio makes the shorter side as long \
        as the box, keep_ratio_largest the longer one, center_crop fills the box, no keeps the size.
        """
    )
    static let onlyIfBigger = Flag(
        "resize-only-if-bigger",
        "Leave images alone that are smaller than the box."
    )
    static let encoding = Option(
        "encode-format",
        .cases as ValueType<DatasetOptions.Encoding>,
        default: "jpg",
        "Encoding of the images."
    )
    static let quality = Option(
        "encode-quality",
        .integer(1...100),
        default: "95",
        "Quality of JPEG and WebP, 1 to 100."
    )
    static let skipReencode = Flag(
        "skip-reencode",
        "Store the downloaded bytes of images that are not resized and have the encoding already."
    )
    static let keepOriginal = Flag(
        "keep-original",
        "Store the downloaded bytes of all images. Only their headers are checked."
    )
    static let minSize = Option(
        "min-image-size",
        .integer(0...65_535),
        default: "0",
        "Refuse images with a shorter side than this, as soon as their header is there."
    )
    static let maxArea = Option(
        "max-image-area",
        .number(1...1e15),
        "Refuse images with more pixels than this."
    )
    static let maxRatio = Option(
        "max-aspect-ratio",
        .number(1...1e9),
        "Refuse images whose longer side is more than this many times the shorter one."
    )
    static let likeImg2dataset = Flag(
        "like-img2dataset",
        "Ignore the EXIF orientation, as img2dataset does."
    )
    static let picture = Command.Group(
        "Image",
        [
            imageSize, resizeMode, onlyIfBigger, encoding, quality, skipReencode, keepOriginal, minSize,
            maxArea, maxRatio, likeImg2dataset,
        ]
    )

    static let concurrency = Option(
        "concurrency",
        .integer(1...4096),
        default: "256",
        "Maximum number of connections."
    )
    static let network = Command.Group(
        "Network",
        [concurrency, FetchOptionsGroup.perHost, AddressOptions.publicByDefault]
            + NetworkOptions.all
    )
    static let metrics = Option(
        "metrics",
        .text("FILE"),
        """
        Write metrics of the run to this file every 5 seconds, in the text format of Prometheus, for \
        node_exporter's textfile collector.
        """
    )
    static let run = Command.Group(
        "Run",
        [FetchOptionsGroup.quiet, FetchOptionsGroup.progress, metrics, DecoderOptions.isolate]
    )

    static func options(_ arguments: ParsedArguments) throws(BulkError) -> DatasetOptions {
        let operands = arguments.operands
        let codes = arguments[retryFailed]
        guard operands.count == (codes == nil ? 2 : 1), let output = operands.last else {
            throw BulkError(
                codes == nil ? "give INPUT and OUTPUT" : "give only OUTPUT with --retry-failed"
            )
        }
        let bucket = try DatasetBucket(output, arguments)
        if bucket == nil, arguments[work] != nil { throw BulkError("--work is only for an OUTPUT in s3://") }
        var options = DatasetOptions(input: operands[0], output: bucket?.workFolder ?? output)
        options.retriedCodes = codes
        options.inputFormat = arguments[inputFormat]
        options.urlColumn = arguments[urlColumn]
        options.captionColumn = arguments[captionColumn]
        options.keptColumns = arguments[columns] ?? []
        options.hashColumn = arguments[hashColumn]
        options.boxColumn = arguments[boxColumn]
        options.isUnique = arguments[unique]
        options.extractsEXIF = !arguments[noEXIF]
        options.format = arguments[format] ?? options.format
        options.samplesPerShard = arguments[perShard] ?? options.samplesPerShard
        options.shardDigits = arguments[shardDigits] ?? options.shardDigits
        options.hash = arguments[hash] ?? options.hash
        options.hashesPictures = arguments[perceptualHash]
        options.slice = arguments[slice] ?? options.slice
        if let sides = arguments[imageSize] {
            (options.imageSize, options.otherSizes) = (sides[0], Array(sides.dropFirst()))
        }
        options.resizeMode = arguments[resizeMode] ?? options.resizeMode
        options.resizesOnlyIfBigger = arguments[onlyIfBigger]
        options.encoding = arguments[encoding] ?? options.encoding
        options.quality = arguments[quality] ?? options.quality
        options.skipsReencoding = arguments[skipReencode]
        options.keepsOriginals = arguments[keepOriginal]
        options.ignoresOrientation = arguments[likeImg2dataset]
        options.limits.sizes.minSide = arguments[minSize] ?? 0
        options.limits.sizes.maxArea = arguments[maxArea]
        options.limits.sizes.maxAspectRatio = arguments[maxRatio]
        options.metrics = arguments[metrics]
        options.fit(
            connections: connections(arguments),
            perHost: arguments[FetchOptionsGroup.perHost] ?? PipelineConfiguration().connectionsPerHost
        )
        return options
    }

    /// Maximum number of connections: enough for many hosts that do not respond, besides those that do.
    static func connections(_ arguments: ParsedArguments) -> Int {
        arguments[concurrency] ?? 256
    }
}

extension ValueType where Value == DatasetOptions.Slice {
    /// A share such as `1/4`.
    fileprivate static var slice: ValueType {
        ValueType(placeholder: "I/N") { text throws(UsageError) in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let index = parts[0], let count = parts[1],
                let slice = DatasetOptions.Slice(index: index - 1, of: count)
            else { throw UsageError("is not a share such as 1/4") }
            return slice
        }
    }
}

extension ValueType where Value == [Int] {
    /// Sides of boxes with commas between them, each only once.
    fileprivate static var sides: ValueType {
        ValueType(placeholder: "N,N...") { text throws(UsageError) in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let sides = parts.compactMap { Int($0) }.filter { (1...16_384).contains($0) }
            guard sides.count == parts.count, Set(sides).count == sides.count, sides.count <= 8 else {
                throw UsageError("is not a whole number, 1 to 16384, or up to 8 different ones with commas")
            }
            return sides
        }
    }
}

extension ValueType where Value == ListFormat {
    /// A format's name, with or without the ending of a compressed file, as in img2dataset.
    fileprivate static var inputFormat: ValueType {
        let words = ListFormat.allCases.map(\.rawValue)
        return ValueType(placeholder: words.joined(separator: "|"), choices: words) {
            text throws(UsageError) in
            let name = text.split(separator: ".").first.map(String.init) ?? text
            guard let format = ListFormat(rawValue: name) else {
                throw UsageError("is not one of \(words.joined(separator: ", "))")
            }
            return format
        }
    }
}

extension ValueType where Value == [String] {
    /// Error codes with commas between them; none for `all`.
    fileprivate static var codes: ValueType {
        ValueType(placeholder: "all|CODE,CODE...") { text throws(UsageError) in
            let codes = text == "all" ? [] : text.split(separator: ",").map(String.init)
            let isValid = codes.allSatisfy { $0.utf8.allSatisfy { $0 == 0x5F || (0x30...0x7A).contains($0) } }
            guard isValid, text == "all" || !codes.isEmpty else {
                throw UsageError("is neither all nor a list of error codes such as http_404,timeout_total")
            }
            return codes
        }
    }

    /// Names with commas between them, each only once.
    fileprivate static var names: ValueType {
        ValueType(placeholder: "NAME,NAME...") { text throws(UsageError) in
            let names = text.split(separator: ",").map(String.init)
            guard !names.isEmpty, Set(names).count == names.count else {
                throw UsageError("is not a list of different names")
            }
            return names
        }
    }
}
