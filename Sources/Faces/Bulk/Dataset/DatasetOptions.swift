public import CalotypeCore

/// The options of a dataset job; names and defaults are those of img2dataset, where it has them.
public struct DatasetOptions: Sendable {
    /// The form of the output.
    public enum Format: String, CaseIterable, Sendable {
        /// A tar file per shard.
        case webdataset
        /// A folder per shard.
        case files
        /// A Parquet file per shard, with the pictures in a column.
        case parquet
    }

    /// The encoding of the pictures.
    public enum Encoding: String, CaseIterable, Sendable {
        case jpg, png, webp
    }

    /// The function for the hash of a source's bytes.
    public enum Hash: String, CaseIterable, Sendable {
        case sha256, sha512, md5, none
    }

    /// A share of the shards: those whose number divided by `count` leaves the remainder `index`.
    public struct Slice: Hashable, Sendable {
        /// 0 to `count` - 1.
        public let index: Int
        /// The number of slices, at least 1.
        public let count: Int

        /// All shards.
        public static let all = Slice(index: 0, count: 1)

        /// Creates a share; `nil` if the numbers are out of range.
        public init?(index: Int, of count: Int) {
            guard count >= 1, (0..<count).contains(index) else { return nil }
            self.init(index: index, count: count)
        }

        private init(index: Int, count: Int) {
            self.index = index
            self.count = count
        }
    }

    /// The list: a path of a file or folder, a pattern such as `lists/*.csv`, or `-` for standard input.
    public var input: String
    /// The format of the list; `nil` to recognise it.
    public var inputFormat: ListFormat?
    /// The column of the URLs; `nil` for `url`.
    public var urlColumn: String?
    /// The column that becomes the caption of a picture.
    public var captionColumn: String?
    /// Other columns to keep.
    public var keptColumns: [String] = []
    /// The column of the boxes to blur, such as `[[0.1, 0.2, 0.5, 0.6]]`; it is kept as well.
    public var boxColumn: String?
    /// Whether to leave out entries with a URL that an earlier entry has.
    public var isUnique = false
    /// The column with the hash that the bytes of a source must have; `nil` to check none.
    public var hashColumn: String?
    /// The error codes of the failures of a complete dataset to retry, instead of a list; empty for all, `nil`
    /// to read the list.
    public var retriedCodes: [String]?
    /// The output folder, created if it is missing.
    public var output: String
    /// Where complete shards are uploaded; `nil` to leave them in the output folder.
    ///
    /// With a store, the folder has only what is needed to continue.
    public var store: (any ShardStoring)?
    /// The form of the output.
    public var format = Format.webdataset
    /// The encoding of the pictures.
    public var encoding = Encoding.jpg
    /// The quality of JPEG and WebP, 1 to 100.
    public var quality = 95
    /// The side of the box for the pictures.
    public var imageSize = 256
    /// The sides of further boxes, for each of which a picture is made as well.
    public var otherSizes: [Int] = []
    /// How a picture relates to the box.
    public var resizeMode = ResizeMode.border
    /// Whether to leave pictures alone that are smaller than the box.
    public var resizesOnlyIfBigger = false
    /// Whether to store the sources' own bytes instead of pictures made from them.
    public var keepsOriginals = false
    /// Whether to store the source's own bytes if it is not resized and has the encoding already.
    public var skipsReencoding = false
    /// Whether to ignore the EXIF orientation, as img2dataset does.
    public var ignoresOrientation = false
    /// The number of samples of a shard.
    public var samplesPerShard = 10_000
    /// The minimum number of digits of a shard's number.
    public var shardDigits = 5
    /// Whether to record the EXIF fields of the sources.
    public var extractsEXIF = true
    /// The hash of the sources' bytes to record.
    public var hash = Hash.sha256
    /// Whether to record a perceptual hash of each picture, and which of a shard's pictures are almost equal.
    public var hashesPictures = false
    /// The shards that this job makes.
    public var slice = Slice.all
    /// The limits for each source.
    public var limits = ImageLimits()
    /// How to use cached data.
    public var cachePolicy = CachePolicy.noStore
    /// Maximum number of entries that are read ahead of the first one that has not ended.
    public var window = 100_000
    /// Maximum number of entries in progress.
    public var concurrency = 256
    /// Maximum number of entries in progress whose URLs name the same host.
    public var concurrencyPerHost = 16
    /// The manners towards hosts, of the same object as in the pipeline's configuration; none by default.
    public var manners: HostManners?
    /// The file for metrics in the text format of Prometheus, replaced every few seconds; none by default.
    public var metrics: String?
    /// How long an interrupted run waits for work that cannot be interrupted before it calls `onAbandon`.
    public var grace = Duration.milliseconds(50)

    /// Creates options with the defaults.
    public init(input: String, output: String) {
        self.input = input
        self.output = output
    }

    /// Sets the numbers of entries in progress for a loader with these limits.
    public mutating func fit(connections: Int, perHost: Int) {
        var options = FetchOptions(source: .standardInput, output: output)
        options.fit(connections: connections, perHost: perHost)
        (concurrency, concurrencyPerHost) = (options.concurrency, options.concurrencyPerHost)
    }
}

extension ErrorCode {
    /// The bytes do not have the hash that the list says.
    static let hashMismatch = ErrorCode(rawValue: "hash_mismatch")
}
