/// Header fields in order; names compare without regard to case.
public struct HTTPHeaders: Hashable, Sendable, Sequence {
    /// A header field.
    @available(
        *,
        deprecated,
        renamed: "HeaderField",
        message: "use HeaderField(checking:_:) to check a field"
    )
    public typealias Field = HeaderField

    private var fields: [HeaderField] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of `fields`.
    public init(_ fields: some Sequence<HeaderField>) {
        self.fields = Array(fields)
    }

    /// The number of fields.
    public var count: Int { fields.count }

    /// The value of the first field called `name`.
    public subscript(name: String) -> String? {
        fields.first { $0.hasName(name) }?.value
    }

    /// The values of all fields called `name`, in order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.hasName(name) }.map(\.value)
    }

    /// Adds `field` at the end.
    public mutating func append(_ field: HeaderField) {
        fields.append(field)
    }

    /// Removes all fields called `name`.
    public mutating func removeAll(_ name: String) {
        fields.removeAll { $0.hasName(name) }
    }

    /// Removes all fields whose name begins with `prefix`.
    package mutating func removeAll(prefix: String) {
        fields.removeAll { $0.name.lowercased().hasPrefix(prefix) }
    }

    /// The fields in order.
    public func makeIterator() -> IndexingIterator<[HeaderField]> {
        fields.makeIterator()
    }
}
