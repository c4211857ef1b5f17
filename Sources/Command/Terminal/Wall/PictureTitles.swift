import CalotypeCommandLineKit
import CalotypeCore

/// What the pictures of a list are called that has nothing but their URLs.
package enum PictureTitles {
    /// The last part of each path, which is mostly a file's name; where all URLs end alike, the last part before that.
    ///
    /// A URL without a path is its own title.
    package static func titles(of urls: [String]) -> [String] {
        let paths = urls.map(path)
        let shortest = paths.map(\.count).min() ?? 0
        var common = 0
        while urls.count > 1, common + 1 < shortest, isSame(common, in: paths) { common += 1 }
        return zip(urls, paths).map { url, path in
            TerminalText.line(
                path.isEmpty ? URLCredentials.removed(from: url) : String(path[path.count - 1 - common])
            )
        }
    }

    /// The parts of the path, without host and query.
    private static func path(_ url: String) -> [Substring] {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let parts = url[..<end].split(separator: "/")
        // The scheme and the host are two parts.
        return Array(parts.dropFirst(2))
    }

    /// Whether all paths have the same part in this place, counted from their end.
    private static func isSame(_ place: Int, in paths: [[Substring]]) -> Bool {
        let first = paths.first.map { $0[$0.count - 1 - place] }
        return paths.allSatisfy { $0[$0.count - 1 - place] == first }
    }
}
