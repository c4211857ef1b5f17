import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore

/// The information about an image that `/info` returns.
struct PictureInfo: Sendable {
    /// The longest side of the bitmap from which colours and hash are computed.
    static let side = 100
    /// The name under which the result is stored; it changes with the content and its layout.
    static let layout = "info 1"

    let info: SourceInfo
    let bitmap: Bitmap

    /// The information as one JSON object.
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

/// The information about an image in the form that is cached.
struct ToldInfo: Sendable {
    /// The information as one JSON object.
    let json: [UInt8]
    let info: SourceInfo
    let provenance: Provenance
}

/// A cache of image information, as long as origins permit; the least recently used entry is removed first.
final class KnownInfos: Sendable {
    private struct Key: Hashable {
        let source: ImageSource
        /// The limits, because a request with other limits might refuse the source.
        let limits: ImageLimits
    }

    private static let most = MemoryCacheLimits(
        bytes: .mebibytes(4),
        count: 2_000,
        entryBytes: .kibibytes(16)
    )

    private let kept: MemoryCache<Key, ToldInfo>

    /// Creates an empty cache; unless `isOn`, it stays empty.
    init(isOn: Bool) {
        kept = MemoryCache(limits: isOn ? Self.most : .none) { ByteCount($0.json.count + 1_024) }
    }

    /// Returns the information for the source of `request` if it is still fresh at `now`.
    func told(of request: ImageRequest, at now: WallTime) -> ToldInfo? {
        let key = Key(source: request.source, limits: request.limits)
        guard let told = kept.valueAgain(for: key), let end = told.provenance.freshUntil, now < end
        else {
            return nil
        }
        return told
    }

    /// Stores `told` unless the origin forbids it or there is no origin, and returns it.
    func keep(_ told: ToldInfo, of request: ImageRequest) -> ToldInfo {
        if told.provenance.version?.isKeepable == true {
            kept.replaceValue(told, for: Key(source: request.source, limits: request.limits))
        }
        return told
    }
}
