/// Puts the version of the app's files into the paths by which they name each other.
struct AssetMarks: Sendable {
    private static let root = Array("/app/".utf8)

    private let version: [UInt8]
    private let assets: Set<[UInt8]>

    /// Creates marks.
    ///
    /// - Parameters:
    ///   - version: Goes between `/app/` and the rest of the path.
    ///   - assets: The paths below `/app/` that get it.
    init(_ version: String, for assets: [String]) {
        self.version = Array("\(version)/".utf8)
        self.assets = Set(assets.map { Array($0.utf8) })
    }

    /// A file with the version in each path that it names in full; scripts that name each other from where they are need none.
    func marked(_ file: [UInt8]) -> [UInt8] {
        var marked: [UInt8] = []
        marked.reserveCapacity(file.count + 32 * version.count)
        var rest = file[...]
        while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            marked += rest[...slash]
            let hasRoot = rest[slash...].starts(with: Self.root)
            rest = rest[(slash + 1)...]
            guard hasRoot else { continue }
            marked += rest.prefix(Self.root.count - 1)
            rest = rest.dropFirst(Self.root.count - 1)
            if assets.contains(Array(rest.prefix(while: Self.isInPath))) { marked += version }
        }
        return marked + rest
    }

    private static func isInPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
