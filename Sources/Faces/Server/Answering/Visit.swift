import CalotypeHTTP
import CalotypeHTTPListener
import Synchronization
import TaskFlow

/// A request with what is found out about it once.
struct Visit: Sendable {
    let request: IncomingRequest
    /// The name by which the log and the client speak of it.
    let id: String
    /// When it came, by the clock on the wall.
    let moment: WallTime

    /// Whether errors are wanted as JSON.
    var wantsJSON: Bool {
        request.headers.values(of: "Accept").contains { $0.lowercased().firstRange(of: "json") != nil }
    }
}

/// Names for requests that have none of their own.
final class RequestNames: Sendable {
    private let state: Atomic<UInt64>

    /// Creates names that follow from `seed`, a random number.
    init(seed: UInt64) {
        state = Atomic(seed)
    }

    /// The name that a client gave (`X-Request-ID`), if it is one, else a new one.
    func name(_ given: String?) -> String {
        given.flatMap { Self.isName($0) ? $0 : nil } ?? next()
    }

    /// Letters, digits, `_` and `-`, at most 128 of them.
    private static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Sixteen hexadecimal digits.
    private func next() -> String {
        let bits = SplitMix64.bits(of: state.wrappingAdd(SplitMix64.step, ordering: .relaxed).newValue)
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
