import Calotype
import CalotypeCore
import TaskFlow

/// An order that was read from a path, with what is found out about it once.
final class ReadOrder: Sendable {
    let order: ImageOrder
    /// The host of the source without its port, in lower case; nothing for what has none.
    let host: String
    /// What the log calls the source.
    let sourceName = DerivedText()
    private let dispositions = Guarded<[ImageFormat?: String]>([:])

    init(_ order: ImageOrder) {
        self.order = order
        host = Self.host(of: order.source)
    }

    /// The value of `Content-Disposition` for a result of `format`.
    func disposition(_ format: ImageFormat?) -> String {
        if let value = dispositions.withLock({ $0[format] }) { return value }
        let value = ContentDisposition(order, format: format).value
        dispositions.withLock { $0[format] = value }
        return value
    }

    private static func host(of source: String) -> String {
        guard let start = source.firstRange(of: "://") else { return "" }
        let authority = source[start.upperBound...].prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let end = host.lastIndex(of: ":").flatMap { host[$0...].contains("]") ? nil : $0 }
        return host[..<(end ?? host.endIndex)].lowercased()
    }
}
