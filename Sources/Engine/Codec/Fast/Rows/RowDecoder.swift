import CalotypeCore

/// Decodes a picture once, from its top row to its last.
protocol RowDecoder: AnyObject {
    /// How the rows are laid out.
    var layout: SampleLayout { get }

    /// Whether the source ended early and the rows from there on are made up; it is known when all rows were given.
    var isPartial: Bool { get }

    /// Decodes the rows that come next, a few milliseconds' worth where the format allows it, and hands each to `body`
    /// with the number of its plane; the rows of a plane come in order.
    ///
    /// - Returns: whether there may be more.
    /// - Throws: `corrupt_image`, `truncated_image`; what `body` throws.
    func next(_ body: (_ plane: Int, _ row: Span<UInt8>) throws -> Void) throws -> Bool
}
