import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeStore
import Glibc

/// The options that say what is kept from one run to the next; `fetch`, `info` and `thumb` share them.
enum CacheOptions {
    static let folder = Option(
        "cache",
        .text("DIR"),
        default: "$XDG_CACHE_HOME/calotype",
        "Cache data from the network in this folder, for the next run."
    )
    static let size = Option(
        "cache-size",
        .byteSize,
        default: "1GiB",
        "Maximum size of the cache folder; the least requested entries are removed first."
    )
    static let none = Flag("no-cache", "Do not use the cache: store nothing in it and read nothing from it.")
    static let reload = Flag("reload", "Ignore cached data, reload everything, and update the cache.")
    static let offline = Flag(
        "offline",
        "Use only cached data, even if it is stale; everything else fails with not_cached."
    )

    static let group = Command.Group("Cache", [folder, size, none, reload, offline])
    static let exclusive = [["no-cache", "cache"], ["no-cache", "offline"], ["reload", "offline"]]

    static func policy(_ arguments: ParsedArguments) -> CachePolicy {
        if arguments[reload] { return .reload }
        return arguments[offline] ? .cacheOnly : .use
    }

    /// Where the cache is and how large it may be; `nil` for none.
    ///
    /// `onNotice` is told of trouble with it.
    static func cache(
        _ arguments: ParsedArguments,
        onNotice: @escaping @Sendable (String) -> Void
    ) -> DiskCacheConfiguration? {
        guard !arguments[none], let folder = arguments[folder] ?? defaultFolder else { return nil }
        var cache = DiskCacheConfiguration(folder: folder)
        if let size = arguments[size] { cache.limit = ByteCount(size.bytes) }
        cache.onNotice = onNotice
        return cache
    }

    /// `$XDG_CACHE_HOME/calotype`, else `~/.cache/calotype`; `nil` where neither variable is set.
    static var defaultFolder: String? {
        let path = { (name: String) -> String? in
            let value = unsafe getenv(name).map { unsafe String(cString: $0) }
            // The specification of XDG's folders says to ignore a path that is not absolute.
            return value.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return path("XDG_CACHE_HOME").map { "\($0)/calotype" } ?? path("HOME").map { "\($0)/.cache/calotype" }
    }
}
