import CalotypeFiles

/// Parses a command's arguments according to its declaration.
struct ArgumentParser {
    private let command: Command
    private let program: String
    private let options: [OptionSpec]

    init(command: Command, program: String) {
        self.command = command
        self.program = program
        options = command.options
    }

    func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                parsed.operands += rest
                break
            }
            if argument.hasPrefix("--") {
                try long(argument.dropFirst(2), &rest, &parsed)
            } else if argument.hasPrefix("-"), argument != "-" {
                try short(argument.dropFirst(), &rest, &parsed)
            } else {
                parsed.operands.append(argument)
            }
            // A request for help succeeds, whatever else is wrong.
            if parsed.asksForHelp { return parsed }
        }
        try check(parsed)
        return parsed
    }

    private func long(
        _ text: Substring,
        _ rest: inout ArraySlice<String>,
        _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let option = options.first(where: { $0.name == name }) else {
            let hint = NearestName.hint(name, in: options.map(\.name), prefix: "--")
            throw error("unknown option --\(name)\(hint)")
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        if !option.takesValue, attached != nil { throw error("--\(name) takes no value") }
        try store(option, as: "--\(name)", attached: attached, &rest, &parsed)
    }

    /// Reads `-o FILE`, `-oFILE` and flags written together, such as `-qh`.
    private func short(
        _ text: Substring,
        _ rest: inout ArraySlice<String>,
        _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.short == letter }) else {
                // `-output` is more often a long name with a missing dash than seven letters.
                let hint = NearestName.hint(String(text), in: options.map(\.name), prefix: "--")
                throw error(
                    "unknown option -\(text.count > 1 && !hint.isEmpty ? String(text) : String(letter))\(hint)"
                )
            }
            guard option.takesValue else {
                try store(option, as: "-\(letter)", attached: nil, &rest, &parsed)
                continue
            }
            let attached = letters.isEmpty ? nil : String(letters)
            try store(option, as: "-\(letter)", attached: attached, &rest, &parsed)
            return
        }
    }

    private func store(
        _ option: OptionSpec,
        as spelling: String,
        attached: String?,
        _ rest: inout ArraySlice<String>,
        _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        guard option.takesValue else {
            parsed.values[option.name, default: []].append(true)
            parsed.words.append("--\(option.name)")
            return
        }
        if let implied = option.implied, attached == nil {
            // Any other next argument is an operand or an option.
            let next = rest.first.flatMap { try? option.convert($0) }
            let text = next == nil ? nil : rest.popFirst()
            parsed.words.append("--\(option.name)" + (text.map { "=\($0)" } ?? ""))
            parsed.values[option.name, default: []].append(next ?? implied)
            return
        }
        guard let text = attached ?? rest.popFirst() else {
            throw error("\(spelling) needs a value, \(option.placeholder ?? "")")
        }
        do {
            parsed.values[option.name, default: []].append(try option.convert(text))
            parsed.words.append("--\(option.name)=\(text)")
        } catch {
            throw self.error("\(spelling) '\(text)' \(error.message)")
        }
    }

    private func check(_ parsed: ParsedArguments) throws(UsageError) {
        for set in command.exclusive {
            let given = set.filter { parsed.values[$0] != nil }
            guard given.count < 2 else { throw error("--\(given[0]) and --\(given[1]) exclude each other") }
        }
        let operands = command.operands
        if parsed.operands.count < operands.count.lowerBound {
            throw error("\(operands.placeholder) is missing")
        }
        if parsed.operands.count > operands.count.upperBound {
            throw error("unexpected argument '\(parsed.operands[operands.count.upperBound])'")
        }
        if let name = command.required.first(where: { parsed.values[$0] == nil }) {
            let placeholder = options.first { $0.name == name }?.placeholder ?? ""
            throw error("--\(name) \(placeholder) is missing")
        }
    }

    private func error(_ message: String) -> UsageError {
        UsageError(message, program: program, command: command.name)
    }
}

/// The arguments given to a command, read by the declarations that parsed them.
public struct ParsedArguments: Sendable {
    /// The operands, in order.
    public internal(set) var operands: [String] = []
    /// The options as words of a command line, in the order given.
    public internal(set) var words: [String] = []
    var values: [String: [any Sendable]] = [:]

    /// The value of `option`, or the last one if it was given several times; `nil` if it was not given.
    public subscript<Value>(_ option: Option<Value>) -> Value? {
        values[option.spec.name]?.last as? Value
    }

    /// Whether `flag` was given.
    public subscript(_ flag: Flag) -> Bool {
        values[flag.spec.name] != nil
    }

    /// All values of `option`, in the order given.
    public func all<Value>(_ option: Option<Value>) -> [Value] {
        (values[option.spec.name] ?? []).compactMap { $0 as? Value }
    }

    var asksForHelp: Bool { self[Flag.help] }
}

/// An error in the arguments, in an option's value or in a setting.
///
/// The program prints it on standard error and exits with 2.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The exit code that usage errors have by convention.
    public static let exitCode: Int32 = 2

    /// What is wrong and, if it can be guessed, what was meant.
    ///
    /// A ``ValueType`` throws only the end of the sentence, such as `is not a whole number`; the option and the
    /// value are put before it.
    public let message: String
    /// The names of the program and the command, such as `calotype fetch`; `nil` if they are not known yet.
    public let invocation: String?

    /// Creates an error that belongs to no command yet.
    public init(_ message: String) {
        self.message = message
        invocation = nil
    }

    /// Creates a command's error; a command can also find one after parsing.
    public init(_ message: String, program: String, command: String? = nil) {
        self.message = message
        invocation = command.map { "\(program) \($0)" } ?? program
    }

    /// Two lines: what is wrong, and where to find help; only the message if the command is not known.
    public var description: String {
        guard let invocation else { return message }
        return "\(invocation): \(message)\nTry '\(invocation) --help'.\n"
    }
}
