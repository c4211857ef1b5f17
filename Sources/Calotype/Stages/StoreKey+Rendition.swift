import CalotypeCodec
import CalotypeCore
import CalotypeStore

extension StoreKey {
    /// The name of what `key` stands for; `nil` for pixels and for what lies on this machine already.
    ///
    /// - Parameters:
    ///   - key: The picture.
    ///   - headers: What is sent with each request, `name` and `value` by turns; credentials may be among it.
    init?(_ key: RenditionKey, sentWith headers: [String] = []) {
        guard case .encoded(let spec) = key.spec else { return nil }
        var parts: [String]
        switch key.source {
        case .url(let text): parts = ["url", text]
        case .provided(let provider): parts = ["provided", provider.id]
        case .file, .bytes: return nil
        }
        parts += [key.partition.map { "partition \($0)" } ?? "", spec.transform.name, spec.output.name]
        parts += headers + key.headers.flatMap { [$0.name, $0.value] }
        // Each part is told from the next by its length, whatever is in it.
        self.init(parts.map { "\($0.utf8.count):\($0)" }.joined())
    }
}

extension Transform {
    fileprivate var name: String {
        let word =
            switch mode {
            case .none: "none"
            case .fit: "fit"
            case .fill: "fill"
            case .stretch: "stretch"
            }
        return "\(word) \(box.width)x\(box.height)\(enlarges ? " enlarge" : "")"
    }
}

extension OutputFormat {
    fileprivate var name: String {
        switch self {
        case .jpeg(let quality): "jpeg \(quality)"
        case .png: "png"
        case .webp(let quality): "webp \(quality)"
        case .avif(let quality): "avif \(quality)"
        case .original(let quality): "original \(quality)"
        }
    }
}
