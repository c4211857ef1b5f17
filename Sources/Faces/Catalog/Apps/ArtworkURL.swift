/// The URLs of the App Store's pictures, whose last part names their size, such as `/512x512bb.jpg`.
enum ArtworkURL {
    /// The sides that the store makes.
    private static let sides = 16...1024

    /// The URL of the same picture as a square of another size; `url` itself where its last part names none.
    static func resized(_ url: String, toSide side: Int) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        guard let slash = url[..<end].lastIndex(of: "/") else { return url }
        let name = url[url.index(after: slash)..<end]
        guard let rest = name.wholeMatch(of: /[0-9]{1,4}x[0-9]{1,4}([a-z]{0,4}(?:-[0-9]{1,3})?\.[a-z]{2,5})/)
        else { return url }
        let side = min(max(side, sides.lowerBound), sides.upperBound)
        return "\(url[...slash])\(side)x\(side)\(rest.1)\(url[end...])"
    }
}
