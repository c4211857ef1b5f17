/// What a request's path leads to.
enum Route: Hashable, Sendable {
    /// A picture, or what is told of one (`/info/`): what ``PathReader`` reads.
    case order
    case health, metrics, landing
    /// Nothing, such as a segment that is reserved for something else.
    case nothing

    /// Finds the way of `target`, the raw target of a request.
    init(_ target: String, _ reader: PathReader, healthPath: String? = nil) {
        let prefix = reader.configuration.prefix
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let rest = path.starts(with: prefix.utf8) ? path.dropFirst(prefix.utf8.count) : nil
        if let rest, rest.elementsEqual("".utf8) || rest.elementsEqual("/".utf8) {
            self = .landing
        } else if let rest, let healthPath, rest.elementsEqual(healthPath.utf8) {
            self = .health
        } else {
            self =
                switch reader.kind(of: target) {
                case .picture, .information: .order
                case .reserved("health"): .health
                case .reserved("metrics"): .metrics
                case .reserved, nil: .nothing
                }
        }
    }
}
