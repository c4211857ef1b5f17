internal import CalotypeCore
internal import CalotypeHTTP

extension WebURL {
    /// Whether the path is that of `folder` or of a folder above it, at the same server.
    ///
    /// Slashes, escapes and capitals make no difference, as they make none at some servers; nor does a query.
    func isSameOrAbove(_ folder: WebURL) -> Bool {
        folder.segments.starts(with: segments)
    }

    private var segments: [String] {
        let path = withoutQuery.split(separator: "/").dropFirst(2).joined(separator: "/")
        let plain = PercentEscapes.decoded(path.utf8).map { String(decoding: $0, as: UTF8.self) } ?? path
        return plain.lowercased().split(separator: "/").reduce(into: []) { segments, segment in
            switch segment {
            case ".": break
            case "..": _ = segments.popLast()
            default: segments.append(String(segment))
            }
        }
    }
}
