internal import CalotypeHTTP
internal import FoundationEssentials

/// A moment as it stands in signatures.
struct SigV4Date: Hashable, Sendable {
    /// Day and time, such as `20130524T000000Z`.
    let text: String

    init(_ moment: WallTime) {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        text = style.format(Date(timeIntervalSince1970: Double(moment.secondsSince1970)))
    }

    /// The day alone, such as `20130524`.
    var day: String { String(text.prefix(8)) }
}
