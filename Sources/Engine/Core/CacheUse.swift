/// How what was stored helped with a load.
public enum CacheUse: String, CaseIterable, Hashable, Sendable {
    /// Nothing that was stored was of use: the source was loaded.
    case miss
    /// It was taken as it was stored, and the origin was not asked.
    case hit
    /// The origin was asked, and said that what was stored is still right.
    case revalidated
    /// It was taken although its time was over: the origin is asked meanwhile, or could not be asked.
    case stale
}
