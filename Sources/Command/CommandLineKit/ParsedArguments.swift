/// What was given to a command, by the declarations that it was parsed with.
public struct ParsedArguments: Sendable {
    /// The arguments that are no options, in order.
    public internal(set) var operands: [String] = []
    var values: [String: [any Sendable]] = [:]

    /// The value of `option`, the last where it was given more than once; `nil` where it was not given.
    public subscript<Value>(_ option: Option<Value>) -> Value? {
        values[option.spec.name]?.last as? Value
    }

    /// Whether `flag` was given.
    public subscript(_ flag: Flag) -> Bool {
        values[flag.spec.name] != nil
    }

    /// All values of `option` in the order given.
    public func all<Value>(_ option: Option<Value>) -> [Value] {
        (values[option.spec.name] ?? []).compactMap { $0 as? Value }
    }

    var asksForHelp: Bool { self[Flag.help] }
}
