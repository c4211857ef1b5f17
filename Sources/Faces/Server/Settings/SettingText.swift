import CalotypeCommandLineKit
import CalotypeCore
import Glibc

/// How values of settings are written.
enum SettingText {
    /// The text of a default; `nil` for nothing.
    static func of(_ value: some Any) -> String? {
        switch value {
        case let duration as Duration: of(duration)
        case let bytes as ByteCount: of(bytes)
        case let text as String: text.isEmpty ? nil : text
        case let number as any FixedWidthInteger: "\(number)"
        case let number as Double: number == number.rounded() ? "\(Int(number))" : "\(number)"
        case let word as any RawRepresentable: "\(word.rawValue)"
        default: nil
        }
    }

    /// Seconds.
    private static func of(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return attoseconds == 0 ? "\(seconds)" : "\(Double(seconds) + Double(attoseconds) / 1e18)"
    }

    /// In the largest unit that needs no fraction.
    private static func of(_ count: ByteCount) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        where count.bytes >= 1 << shift && count.bytes % (1 << shift) == 0 {
            return "\(count.bytes >> shift)\(unit)"
        }
        return "\(count.bytes)"
    }

    /// The text in a file.
    static func contents(of path: String) throws(ValueProblem) -> String {
        do throws(SystemError) {
            let file = try OpenFile(path, O_RDONLY)
            return String(decoding: try file.read(1 << 20), as: UTF8.self)
        } catch {
            throw ValueProblem("cannot be read: \(error.reason)")
        }
    }

    /// Whether a switch is on.
    static func truth(_ text: String) throws(ValueProblem) -> Bool {
        switch text.lowercased() {
        case "1", "t", "true", "yes", "on": true
        case "0", "f", "false", "no", "off": false
        default: throw ValueProblem("is neither true nor false")
        }
    }
}
