import CalotypeCodec
package import CalotypeCore
import CalotypeHTTP
import CalotypeStore

extension StoreKey {
    /// Creates the name of a rendition; `nil` for pixels, for sources that are files or bytes, and for an
    /// invalid URL.
    ///
    /// - Parameters:
    ///   - key: The picture.
    ///   - headers: The fields that the pipeline sends with each request, possibly with credentials.
    init?(_ key: RenditionKey, sentWith headers: [HeaderField] = []) {
        guard case .encoded(let spec) = key.spec else { return nil }
        guard let place = Self.place(of: key.source), let source = key.sourceIdentity else { return nil }
        self.init(
            place + [Self.name(of: key.partition), spec.transform.name, spec.output.name]
                + Self.names(of: headers, key.headers),
            of: source
        )
    }

    /// Creates the name of a source; `nil` if it does not come over the network.
    init?(_ key: SourceKey, sentWith headers: [HeaderField] = []) {
        guard case .web(let url) = key.place else { return nil }
        let place = key.cacheKey.map { ["key", $0] } ?? [url.text, url.authorization ?? ""]
        self.init(
            [key.content == .document ? "document" : "source"] + place
                + [Self.name(of: key.partition)] + Self.names(of: headers, key.headers),
            of: key.identity
        )
    }

    /// Creates the name of derived bytes; `nil` for sources that are files or bytes, and for an invalid
    /// URL.
    init?(derived name: String, of request: ImageRequest, sentWith headers: [HeaderField] = []) {
        guard let place = Self.place(of: SourceName(request)), let source = request.sourceIdentity else {
            return nil
        }
        self.init(
            ["derived", name] + place + [Self.name(of: request.partition)]
                + Self.names(of: headers, request.headers),
            of: source
        )
    }

    // A length before each part separates it from the next, whatever it contains.
    private init(_ parts: [String], of source: SourceKey.Identity) {
        self.init(parts.map { "\($0.utf8.count):\($0)" }.joined(), in: source.group)
    }

    private static func place(of source: SourceName) -> [String]? {
        switch source {
        case .cacheKey(let key): ["key", key]
        case .source(.url(let text)): ["url", text]
        case .source(.provided(let provider)): ["provided", provider.id]
        case .source(.file), .source(.bytes): nil
        }
    }

    private static func name(of partition: String?) -> String {
        partition.map { "partition \($0)" } ?? ""
    }

    private static func names(of pipeline: [HeaderField], _ request: [HeaderField]) -> [String] {
        pipeline.flatMap { [$0.name, $0.value] } + request.flatMap { [$0.name, $0.value] }
    }
}

extension ImageRequest {
    /// The transform and the output in words: equal words mean equal results from equal bytes.
    package var resultName: String { "\(transform.name), \(output.name)" }
}

extension Transform {
    fileprivate var name: String {
        let word =
            switch mode {
            case .none: "none"
            case .fit: "fit"
            case .fill: "fill"
            case .stretch: "stretch"
            case .fillPartly: "fill-partly"
            case .auto: "auto"
            }
        let care = effort == .balanced ? "" : " \(effort.rawValue)"
        let scaling =
            "\(word) \(box.width)x\(box.height)\(enlarges ? " enlarge" : "")\(care)\(isLinearLight ? " linear" : "")"
        // A name without edits is the same as in earlier versions, so that caches stay valid.
        let edited = edits == .none ? scaling : "\(scaling); \(edits.name)"
        return processors.isEmpty ? edited : "\(edited); processors\(processorNames)"
    }
}

extension OutputFormat {
    fileprivate var name: String {
        switch self {
        case .jpeg(let quality): "jpeg \(quality)"
        case .progressiveJPEG(let quality): "progressive jpeg \(quality)"
        case .png: "png"
        case .png16: "png16"
        case .webp(let quality): "webp \(quality)"
        case .losslessWebP: "lossless webp"
        case .avif(let quality): "avif \(quality)"
        case .heic(let quality): "heic \(quality)"
        case .jxl(let quality): "jxl \(quality)"
        case .gif: "gif"
        case .tiff: "tiff"
        case .original(let quality): "original \(quality)"
        case .suited(let rule): "suited \(rule.name)"
        case .custom(let encoder): "custom \(encoder.identifier)"
        }
    }
}
