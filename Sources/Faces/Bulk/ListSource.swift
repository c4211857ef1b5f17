/// Where the URLs of a run come from.
public enum ListSource: Hashable, Sendable {
    /// A text file with one URL per line.
    case file(path: String)
    /// The same from standard input.
    case standardInput
    /// URLs given one by one.
    case urls([String])

    /// Reads a command's operands: `-`, the path of one list, or any number of URLs.
    ///
    /// - Throws: ``FetchSetupError`` for a mixture.
    public init(operands: [String]) throws(FetchSetupError) {
        guard let first = operands.first else { throw FetchSetupError("no list and no URL is given") }
        if first.contains("://") {
            self = .urls(operands)
        } else if operands.count > 1 {
            throw FetchSetupError("give one list or URLs, not '\(first)' and others")
        } else {
            self = first == "-" ? .standardInput : .file(path: first)
        }
    }

    /// The source as messages name it.
    var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        case .urls: "the arguments"
        }
    }
}
