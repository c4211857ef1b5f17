/// Some settings under a heading.
public struct SettingGroup<Target: Configurable>: Sendable {
    /// The heading.
    public let title: String
    /// The settings in the order of help.
    public let settings: [Setting<Target>]

    package init(_ title: String, _ settings: [Setting<Target>]) {
        self.title = title
        self.settings = settings
    }
}
