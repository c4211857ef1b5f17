package import CalotypeCommandLineKit
import CalotypeCore
import CalotypeDigests
import CalotypeFiles
package import CalotypeHTTP
import CalotypeHTTPMessages
import CalotypePlatform
import CalotypeServer

extension ValueType where Value == ByteCount {
    /// A size in bytes, such as `500M` or `1GiB`.
    static var byteCount: ValueType {
        let size = ValueType<ByteSize>.byteSize
        return ValueType(placeholder: size.placeholder) { text throws(UsageError) in
            ByteCount(try size.parse(text).bytes)
        }
    }
}

extension ValueType where Value == [UInt8] {
    /// Base64 (RFC 4648).
    static var base64: ValueType {
        ValueType(placeholder: "BASE64") { text throws(UsageError) in
            guard case .bytes(let bytes) = try? ImageSource(trustedText: "data:;base64,\(text)") else {
                throw UsageError("is not valid Base64")
            }
            return bytes
        }
    }
}

extension ValueType where Value == ListeningAddress {
    /// A host and port such as `127.0.0.1:8080`, `[::1]:0` or `:8080`, which means all addresses.
    static var address: ValueType {
        ValueType(placeholder: "HOST:PORT") { text throws(UsageError) in
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
            else { throw UsageError("is not an address such as 127.0.0.1:8080") }
            var host = String(text[..<colon])
            if host.hasPrefix("["), host.hasSuffix("]") {
                host = String(host.dropFirst().dropLast())
            } else if host.contains(":") {
                throw UsageError("has an IPv6 address without brackets; write it as [::1]:8080")
            }
            return ListeningAddress(host: host.isEmpty ? "0.0.0.0" : host, port: Int(port))
        }
    }
}

extension ValueType where Value == WebURL {
    /// The URL of an HTTP proxy.
    package static var proxyURL: ValueType<WebURL> {
        ValueType(placeholder: "URL") { text throws(UsageError) in
            do throws(CalotypeError) {
                return try WebURL(text)
            } catch {
                throw UsageError(error.message)
            }
        }
    }
}

extension ValueType where Value == [String] {
    /// Words separated by commas.
    package static func words(_ placeholder: String) -> ValueType {
        ValueType(placeholder: placeholder) { text throws(UsageError) in
            text.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
        }
    }
}

extension ValueType where Value == [[UInt8]] {
    /// Bytes as hexadecimal digits; several values are separated by commas.
    static var hexadecimals: ValueType {
        ValueType(placeholder: "HEX") { text throws(UsageError) in
            var all: [[UInt8]] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard !part.isEmpty, let bytes = Hexadecimal.bytes(part.lowercased()) else {
                    throw UsageError("is not an even number of hexadecimal digits")
                }
                all.append(bytes)
            }
            return all
        }
    }
}

extension ValueType where Value == AddressPolicy {
    /// Networks separated by commas, such as `10.0.0.0/8,192.168.0.0/16`.
    package static var networks: ValueType<AddressPolicy> {
        ValueType(placeholder: "NETWORKS") { text throws(UsageError) in
            AddressPolicy(
                networks: try text.split(separator: ",", omittingEmptySubsequences: false).map(network)
            )
        }
    }

    /// Networks separated by commas; `true` among them stands for all private addresses.
    static var addresses: ValueType {
        ValueType(placeholder: "NETWORKS") { text throws(UsageError) in
            var policy = AddressPolicy.publicOnly
            for word in try ValueType<[String]>.words("NETWORKS").parse(text) {
                if let isAll = try? SettingText.truth(word) {
                    policy = isAll ? policy.union(.allPrivate) : policy
                } else {
                    policy.networks.insert(try network(word))
                }
            }
            return policy
        }
    }

    private static func network(_ word: some StringProtocol) throws(UsageError) -> IPNetwork {
        guard let network = IPNetwork(word) else {
            throw UsageError("is not a list of networks such as 10.0.0.0/8,192.168.0.0/16")
        }
        return network
    }
}

extension ValueType where Value == [ImageFormat] {
    /// Formats separated by commas.
    static var formats: ValueType {
        ValueType(placeholder: "LIST") { text throws(UsageError) in
            var formats: [ImageFormat] = []
            for word in try ValueType<[String]>.words("LIST").parse(text) {
                if let format = try ImageFormat.called(word) { formats.append(format) }
            }
            return formats
        }
    }
}

extension ValueType where Value == Set<ImageFormat> {
    /// Formats of sources, separated by commas.
    static var sourceFormats: ValueType {
        ValueType(placeholder: "LIST") { text throws(UsageError) in
            var formats: Set<ImageFormat> = []
            for word in try ValueType<[String]>.words("LIST").parse(text) {
                let format = word.lowercased() == "svg" ? .svg : try ImageFormat.called(word)
                if let format { formats.insert(format) }
            }
            return formats
        }
    }
}

extension ValueType where Value == [ImageFormat: Int] {
    /// Formats and their qualities, such as `webp=79,avif=63`.
    static var qualities: ValueType {
        ValueType(placeholder: "LIST") { text throws(UsageError) in
            var qualities: [ImageFormat: Int] = [:]
            for entry in try ValueType<[String]>.words("LIST").parse(text) {
                let parts = entry.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count == 2, let quality = Int(parts[1]), (1...100).contains(quality) else {
                    throw UsageError(
                        "has '\(entry)', which is not FORMAT=QUALITY with a quality from 1 to 100"
                    )
                }
                if let format = try ImageFormat.called(String(parts[0])) { qualities[format] = quality }
            }
            return qualities
        }
    }
}

extension ImageFormat {
    /// imgproxy's formats that this server does not write; settings for them are ignored.
    private static let foreign = ["bmp", "ico", "svg"]

    /// Returns the format called `text`; `nil` for one of ``foreign``.
    fileprivate static func called(_ text: String) throws(UsageError) -> ImageFormat? {
        let word = text.lowercased()
        if let format = word == "jpg" ? .jpeg : ImageFormat(rawValue: word), !format.isOnlyRead {
            return format
        }
        guard foreign.contains(word) else { throw UsageError("names '\(text)', which is not a format") }
        return nil
    }
}

/// Formats the values of settings.
enum SettingText {
    /// Returns the text of a default; `nil` for none.
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

    /// Returns a number of seconds.
    private static func of(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return (attoseconds == 0 ? "\(seconds)" : "\(Double(seconds) + Double(attoseconds) / 1e18)") + "s"
    }

    /// Returns the size in the largest unit that needs no fraction.
    private static func of(_ count: ByteCount) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        where count.bytes >= 1 << shift && count.bytes % (1 << shift) == 0 {
            return "\(count.bytes >> shift)\(unit)"
        }
        return "\(count.bytes)"
    }

    /// Returns the text in a file.
    static func contents(of path: String) throws(UsageError) -> String {
        do throws(SystemError) {
            let file = try OpenFile(path, O_RDONLY)
            return String(decoding: try file.read(1 << 20), as: UTF8.self)
        } catch {
            throw UsageError("cannot be read: \(error.reason)")
        }
    }

    /// Whether a switch is on.
    static func truth(_ text: String) throws(UsageError) -> Bool {
        switch text.lowercased() {
        case "1", "t", "true", "yes", "on": true
        case "0", "f", "false", "no", "off": false
        default: throw UsageError("is neither true nor false")
        }
    }
}
