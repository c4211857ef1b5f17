import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPMessages

/// The names of a wall's images as files: those in their URLs, each once.
///
/// They depend on the list alone, so they are the same after a retry and in every format.
struct WallFileNames: Sendable {
    /// The maximum length of a name in bytes, without its number and extension.
    private static let mostBytes = 100
    /// The name of an image whose URL has none.
    private static let nameless = "image"
    /// Extensions that the image's own replaces.
    private static let extensions =
        Set(ImageFormat.allCases.map(\.rawValue) + ["jpg", "jpe", "jfif", "tif", "heif", "svgz"])
    /// Names that Windows does not allow for files, whatever their extension.
    private static let reserved: Set<String> = {
        let numbered = (1...9).flatMap { ["com\($0)", "lpt\($0)"] }
        return Set(["con", "prn", "aux", "nul", "conin$", "conout$"] + numbered)
    }()

    private let stems: [String]

    init(_ items: [ListItem]) {
        var taken: Set<String> = []
        var numbers: [String: Int] = [:]
        stems = items.map { item in
            let stem = Self.stem(of: item.url)
            var name = stem
            // Many systems ignore the case of names.
            while !taken.insert(name.lowercased()).inserted {
                let number = numbers[stem.lowercased(), default: 1] + 1
                numbers[stem.lowercased()] = number
                name = "\(stem)-\(number)"
            }
            return name
        }
    }

    /// Returns the name of an entry's file, without extension.
    func stem(of index: Int) -> String { stems[index] }

    /// Returns an outcome whose file has its name.
    func naming(_ outcome: FetchOutcome) -> FetchOutcome {
        outcome.naming(stem(of: outcome.index))
    }

    /// Returns the name in a URL, without extension and without anything that is unsafe in a name.
    static func stem(of url: String) -> String {
        let path = URLCredentials.removed(from: url).prefix { $0 != "?" && $0 != "#" }
        // A name may contain an encoded slash; what follows the last one counts.
        let text = PercentEscapes.decodedText(String(path)) ?? String(path)
        let components = text.split { $0 == "/" || $0 == "\\" }
        var name = String(components.last ?? "")
        if let dot = name.lastIndex(of: "."), extensions.contains(name[dot...].dropFirst().lowercased()) {
            name = String(name[..<dot])
        }
        let safe = trimmed(
            String(String.UnicodeScalarView(name.unicodeScalars.map { isSafe($0) ? $0 : "-" }))
        )
        guard !safe.isEmpty else { return nameless }
        return reserved.contains(safe.prefix { $0 != "." }.lowercased()) ? "\(nameless)-\(safe)" : safe
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || "0123456789 ._-+()".unicodeScalars.contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            return true
        default: return false
        }
    }

    /// Returns a name of limited length whose first and last characters have no meaning for a system or a shell.
    private static func trimmed(_ name: String) -> String {
        let edges: Set<Character> = [".", "-", " "]
        var rest = Substring(name).drop { edges.contains($0) }
        while rest.utf8.count > mostBytes { rest.unicodeScalars.removeLast() }
        while let last = rest.last, edges.contains(last) { rest.removeLast() }
        return String(rest)
    }
}
