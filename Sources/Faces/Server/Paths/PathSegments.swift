/// The segments of a path, one after the other.
struct PathSegments {
    private var rest: Substring.UTF8View?

    init(_ path: String) {
        rest = Substring(path).utf8
    }

    /// What is left, slashes included; `nil` behind the last segment.
    var remainder: Substring? { rest.map { Substring($0) } }

    /// The next segment, which may be empty; `nil` behind the last one.
    func peek() -> Substring? {
        rest.map { Substring($0.prefix { $0 != UInt8(ascii: "/") }) }
    }

    /// Takes the next segment.
    mutating func next() -> Substring? {
        guard let rest else { return nil }
        let segment = rest.prefix { $0 != UInt8(ascii: "/") }
        self.rest = segment.endIndex == rest.endIndex ? nil : rest[segment.endIndex...].dropFirst()
        return Substring(segment)
    }
}
