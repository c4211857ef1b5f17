import Calotype
import CalotypeCore

/// What `/info` tells of a picture.
struct PictureInfo: Sendable {
    /// The longest side of the bitmap that colours and hash are made of.
    static let side = 100
    /// The name by which it is stored: another one for each change of what it tells, and how.
    static let layout = "info 1"

    let info: SourceInfo
    let bitmap: Bitmap

    /// One JSON object.
    var json: String {
        let facts = info.facts
        var object = JSONObject()
        object.add("format", string: facts.format.rawValue)
        object.add("media_type", string: facts.format.mediaType)
        object.add("width", facts.size.width)
        object.add("height", facts.size.height)
        object.add("bytes", info.bytes.bytes)
        object.add("orientation", facts.orientation)
        object.add("frames", facts.frames)
        object.add("has_alpha", facts.hasAlpha)
        object.add("bit_depth", facts.bitDepth)
        object.add("profile", string: facts.profile)
        object.add("dominant_colors", objects: DominantColours.of(bitmap).map(\.json))
        object.add("thumbhash", string: Base64.text(ThumbHash.bytes(of: bitmap)))
        return object.text + "\n"
    }
}

extension DominantColours.Colour {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add("color", string: text)
        object.add("share", (share * 1000).rounded() / 1000)
        return object
    }
}
