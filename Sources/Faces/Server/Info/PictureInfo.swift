import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore

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

/// What was told of a picture, as it is told again.
struct ToldInfo: Sendable {
    /// One JSON object.
    let json: [UInt8]
    let info: SourceInfo
    /// What the source's origin said about it; `nil` where it came from none.
    let standing: SourceStanding?
}

/// What was told of pictures, for as long as their origins let it be kept; the least recently asked for goes first.
final class KnownInfos: Sendable {
    private struct Key: Hashable {
        let source: ImageSource
        /// Others may refuse the source.
        let limits: ImageLimits
    }

    private static let most = MemoryCacheLimits(
        bytes: .mebibytes(4),
        count: 2_000,
        entryBytes: .kibibytes(16)
    )

    private let kept: MemoryCache<Key, ToldInfo>

    /// Creates an empty one, that stays empty unless it `isOn`.
    init(isOn: Bool) {
        kept = MemoryCache(limits: isOn ? Self.most : .none) { ByteCount($0.json.count + 1_024) }
    }

    /// What was told of the source of `request`, where that is still so at `now`.
    func told(of request: ImageRequest, at now: WallTime) -> ToldInfo? {
        let key = Key(source: request.source, limits: request.limits)
        guard let told = kept.valueAgain(for: key), let standing = told.standing, now < standing.freshUntil
        else {
            return nil
        }
        return told
    }

    /// Keeps what is told, unless the source's origin forbids it or the source has none, and gives it back.
    func keep(_ told: ToldInfo, of request: ImageRequest) -> ToldInfo {
        if told.standing?.isKeepable == true {
            kept.replaceValue(told, for: Key(source: request.source, limits: request.limits))
        }
        return told
    }
}
