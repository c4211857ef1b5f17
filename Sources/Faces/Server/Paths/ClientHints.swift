/// What a browser tells of the place where a picture will be shown (the fields `DPR` and `Width` of Client Hints).
public struct ClientHints: Hashable, Sendable {
    /// Pixels of the screen for one of the page, above 0 and up to 8; `nil` where it was not told.
    public var pixelRatio: Double?
    /// The width in pixels of the screen; `nil` where it was not told.
    public var width: Int?

    /// No hints.
    public static let none = ClientHints(pixelRatio: nil, width: nil)

    /// Creates hints from the values of header fields; what makes no sense says nothing.
    ///
    /// - Parameters:
    ///   - pixelRatio: The value of `Sec-CH-DPR` or `DPR`.
    ///   - width: The value of `Sec-CH-Width` or `Width`.
    public init(pixelRatio: String?, width: String?) {
        let ratio = pixelRatio.flatMap { Double($0) } ?? 0
        self.pixelRatio = ratio > 0 && ratio <= 8 ? ratio : nil
        let pixels = width.flatMap { Int($0) } ?? 0
        self.width = (1...OrderDraft.mostSide).contains(pixels) ? pixels : nil
    }
}
