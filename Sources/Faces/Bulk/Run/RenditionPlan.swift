internal import CalotypeCore

/// The renditions of each entry: one for each size and format.
struct RenditionPlan: Sendable {
    /// One rendition, and its description in names and messages.
    struct Item: Sendable {
        let spec: RenditionSpec
        /// The size in the file's name; `nil` if the name has none.
        let size: Int?
        /// How it differs from the others: `at size 256 as webp`.
        let title: String
    }

    let items: [Item]

    /// Creates the plan for `options`.
    ///
    /// - Throws: `BulkError` for sizes and formats that cannot be combined.
    init(_ options: FetchOptions) throws(BulkError) {
        try Self.check(options)
        let sizes = options.sizes.isEmpty ? [nil] : options.sizes.map(Optional.some)
        items = sizes.flatMap { size in
            options.formats.map { format in
                Item(
                    spec: RenditionSpec(options.transform(of: size), format),
                    size: size,
                    title: Self.title(size, options.formats.count > 1 ? format : nil)
                )
            }
        }
    }

    /// Whether an entry has more than one file.
    var makesSeveral: Bool { items.count > 1 }

    var specs: [RenditionSpec] { items.map(\.spec) }

    /// The plan's identity in the state file: everything that affects a picture, in any order.
    var fingerprint: UInt128 {
        StableHash.hash("1 " + items.map(Self.shape).sorted().joined(separator: "; "))
    }

    private static func shape(_ item: Item) -> String {
        let transform = item.spec.transform
        // Default values are left out, so that the state of older versions still matches.
        let care = transform.effort == .balanced ? "" : " \(transform.effort)"
        let light = transform.isLinearLight ? " linear" : ""
        let edits = transform.edits == .none ? "" : " \(transform.edits.name)"
        let name = item.size == nil ? "" : " named"
        return
            "\(transform.mode) \(transform.box) \(transform.enlarges) \(item.spec.output)\(care)\(light)\(edits)\(transform.processorNames)\(name)"
    }

    private static func title(_ size: Int?, _ format: OutputFormat?) -> String {
        let parts = [size.map { "at size \($0)" }, format.map { "as \($0.word)" }]
        return parts.compactMap(\.self).joined(separator: " ")
    }

    private static func check(_ options: FetchOptions) throws(BulkError) {
        let (sizes, formats) = (options.sizes, options.formats.map(\.word))
        guard sizes.count <= FetchOptions.sizeLimit, sizes.allSatisfy({ (1...65_535).contains($0) }),
            Set(sizes).count == sizes.count
        else {
            throw BulkError(
                "use at most \(FetchOptions.sizeLimit) different sizes, each from 1 to 65535"
            )
        }
        guard !formats.isEmpty, Set(formats).count == formats.count else {
            throw BulkError("use at least one format, and each only once")
        }
        guard !formats.contains("custom") else {
            throw BulkError(
                "a custom encoder has no file name extension; load the images with a pipeline, and write them yourself"
            )
        }
        guard formats.count == 1 || !formats.contains("original") else {
            throw BulkError(
                "the format original cannot be combined with others, because two files could have the same name"
            )
        }
    }
}

extension OutputFormat {
    /// The format without its quality.
    fileprivate var word: String {
        switch self {
        case .jpeg, .progressiveJPEG: "jpeg"
        case .png, .png16: "png"
        case .webp, .losslessWebP: "webp"
        case .avif: "avif"
        case .heic: "heic"
        case .jxl: "jxl"
        case .gif: "gif"
        case .tiff: "tiff"
        case .original: "original"
        case .suited: "suited"
        case .custom: "custom"
        }
    }
}
