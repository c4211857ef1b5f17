/// Where the text of a setting comes from; each source overrides those before it.
public enum SettingOrigin: Int, Comparable, Sendable {
    /// A variable of imgproxy's, `IMGPROXY_…`.
    case imgproxy
    /// A variable of our own, `CALOTYPE_…`.
    case variable
    /// An option of the command.
    case option

    /// Compares by which one overrides the other.
    public static func < (one: SettingOrigin, other: SettingOrigin) -> Bool { one.rawValue < other.rawValue }
}
