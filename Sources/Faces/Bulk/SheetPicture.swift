internal import CalotypeCore

/// The picture in a tile of the contact sheet.
struct SheetPicture {
    let rendition: FetchedRendition
    let bytes: [UInt8]

    /// The longer side that a tile needs to be sharp.
    private static let goodSide = 240
    /// What browsers show.
    private static let shown: [ImageFormat] = [.jpeg, .png, .webp, .avif, .gif]

    /// The place of the rendition that a tile shows: the smallest that is sharp in it, else the largest; `nil` where none
    /// is of a format that browsers show.
    static func choice(of renditions: [FetchedRendition]) -> Int? {
        let shown = renditions.indices.filter { Self.shown.contains(renditions[$0].format) }
        let good = shown.filter { max(renditions[$0].size.width, renditions[$0].size.height) >= goodSide }
        let cost = { (index: Int) in (renditions[index].size.pixelCount, renditions[index].bytes.bytes) }
        return good.min { cost($0) < cost($1) }
            ?? shown.max { (cost($0).0, -cost($0).1) < (cost($1).0, -cost($1).1) }
    }
}
