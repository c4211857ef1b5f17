/// What is wrong with a JSON text, and at which byte.
struct JSONFault: Error {
    let offset: Int
    let reason: String

    /// The fault for people: `7:12: …`, the line and the character in it, both from 1.
    func description(in text: [UInt8]) -> String {
        let before = text.prefix(offset)
        let line = before.count { $0 == 0x0A } + 1
        let beginning = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let column = String(decoding: before[beginning...], as: UTF8.self).count + 1
        return "\(line):\(column): \(reason)"
    }
}
