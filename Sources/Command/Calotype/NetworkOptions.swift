import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP

/// The options that say how origins are spoken to; `fetch`, `info` and `thumb` share them.
enum NetworkOptions {
    static let timeout = Option(
        "timeout",
        .seconds(0.1...86_400),
        default: "60",
        "Maximum time for one image, in seconds: attempts, redirects and body, but not the time in the queue."
    )
    static let retries = Option(
        "retries",
        .integer(0...20),
        default: "2",
        """
        Number of further attempts after a failed connection, a reset, a timeout, a truncated body, 429 or \
        5xx. Retry-After is respected within the timeout.
        """
    )
    static let header = Option(
        "header",
        .headerField,
        repeats: true,
        "Send this header field with each request."
    )
    static let userAgent = Option("user-agent", .text("TEXT"), "User-Agent header to send.")
    static let proxy = Option(
        "proxy",
        .proxy,
        "Send all requests through this HTTP proxy. The proxy then resolves host names."
    )
    static let caFile = Option(
        "cacert",
        .text("FILE"),
        default: "the system's",
        "Trust the certificate authorities in this PEM file."
    )

    static let all: [any OptionDeclaring] = [timeout, retries, header, userAgent, proxy, caFile]

    static func configuration(_ arguments: ParsedArguments) -> PipelineConfiguration {
        var configuration = PipelineConfiguration()
        configuration.timeout = arguments[timeout] ?? configuration.timeout
        configuration.retries = arguments[retries] ?? configuration.retries
        configuration.headers = arguments.all(header)
        configuration.transport.userAgent = arguments[userAgent] ?? configuration.transport.userAgent
        configuration.transport.proxy = arguments[proxy]
        configuration.transport.certificateFile = arguments[caFile]
        return configuration
    }
}

extension ValueType where Value == HTTPHeaders.Field {
    /// A header field as `Name: value`.
    static var headerField: ValueType {
        ValueType(placeholder: "'NAME: VALUE'") { text throws(ValueProblem) in
            guard let colon = text.firstIndex(of: ":") else {
                throw ValueProblem("is not a header field such as 'Accept-Language: en'")
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            do throws(CalotypeError) {
                return try HTTPHeaders.Field(String(text[..<colon]), String(value))
            } catch {
                throw ValueProblem(error.message)
            }
        }
    }
}

extension ValueType where Value == WebURL {
    /// The URL of an HTTP proxy.
    static var proxy: ValueType {
        ValueType(placeholder: "URL") { text throws(ValueProblem) in
            do throws(CalotypeError) {
                return try WebURL(text)
            } catch {
                throw ValueProblem(error.message)
            }
        }
    }
}
