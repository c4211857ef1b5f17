import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeStore

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
