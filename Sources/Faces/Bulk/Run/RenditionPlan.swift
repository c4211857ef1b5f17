internal import CalotypeCore

/// What a job makes of each entry: a rendition for each size in each format.
struct RenditionPlan: Sendable {
    /// One rendition, and what is told of it in names and messages.
    struct Item: Sendable {
        let spec: RenditionSpec
        /// The size in the file's name; `nil` where the name has none.
        let size: Int?
        /// Where it differs from the others: `at size 256 as webp`.
        let title: String
    }

    let items: [Item]

    /// Plans what `options` ask for.
    ///
    /// - Throws: `FetchSetupError` for sizes and formats that do not go together.
    init(_ options: FetchOptions) throws(FetchSetupError) {
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

    /// Whether an entry becomes more than one file.
    var makesSeveral: Bool { items.count > 1 }

    var specs: [RenditionSpec] { items.map(\.spec) }

    /// What stands for the plan in the state file: everything that shapes a picture, in whatever order.
    var fingerprint: UInt128 {
        StableHash.hash("1 " + items.map(Self.shape).sorted().joined(separator: "; "))
    }

    private static func shape(_ item: Item) -> String {
        let transform = item.spec.transform
        // What is as it always was is not told, so that former runs are known by what they always were.
        let care = transform.effort == .balanced ? "" : " \(transform.effort)"
        let light = transform.isLinearLight ? " linear" : ""
        let edits = transform.edits == .none ? "" : " \(transform.edits.name)"
        let name = item.size == nil ? "" : " named"
        return
            "\(transform.mode) \(transform.box) \(transform.enlarges) \(item.spec.output)\(care)\(light)\(edits)\(name)"
    }

    private static func title(_ size: Int?, _ format: OutputFormat?) -> String {
        let parts = [size.map { "at size \($0)" }, format.map { "as \($0.word)" }]
        return parts.compactMap(\.self).joined(separator: " ")
    }

    private static func check(_ options: FetchOptions) throws(FetchSetupError) {
        let (sizes, formats) = (options.sizes, options.formats.map(\.word))
        guard sizes.count <= FetchOptions.sizeLimit, sizes.allSatisfy({ (1...65_535).contains($0) }),
            Set(sizes).count == sizes.count
        else {
            throw FetchSetupError(
                "there may be \(FetchOptions.sizeLimit) sizes at most, each from 1 to 65535 and only once"
            )
        }
        guard !formats.isEmpty, Set(formats).count == formats.count else {
            throw FetchSetupError("there has to be at least one format, and each only once")
        }
        guard formats.count == 1 || !formats.contains("original") else {
            throw FetchSetupError(
                "the format original goes with no other: two files of a picture could have one name"
            )
        }
    }
}

extension OutputFormat {
    /// The format without its quality.
    fileprivate var word: String {
        switch self {
        case .jpeg: "jpeg"
        case .png: "png"
        case .webp: "webp"
        case .avif: "avif"
        case .heic: "heic"
        case .gif: "gif"
        case .tiff: "tiff"
        case .original: "original"
        case .suited: "suited"
        }
    }
}
