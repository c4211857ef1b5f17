/// A setting that makes no sense.
public struct SettingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Such as `CALOTYPE_TTL: 'x' is not a number of seconds`.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
