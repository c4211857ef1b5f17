import CalotypeHTTP
import CalotypeHTTPListener
import Synchronization
import TaskFlow

/// A request with values that are derived from it once.
struct Visit: Sendable {
    let request: IncomingRequest
    /// The request's ID for the log and the client.
    let id: String
    /// When the request arrived, by the wall clock.
    let moment: WallTime

    /// Whether the client wants errors as JSON.
    var wantsJSON: Bool {
        request.headers.values(of: "Accept").contains { $0.lowercased().firstRange(of: "json") != nil }
    }
}

/// Creates IDs for requests that have none.
final class RequestNames: Sendable {
    private let state: Atomic<UInt64>

    /// Creates a generator from `seed`, a random number.
    init(seed: UInt64) {
        state = Atomic(seed)
    }

    /// Returns the ID from the client (`X-Request-ID`) if it is valid, otherwise a new one.
    func name(_ given: String?) -> String {
        given.flatMap { Self.isName($0) ? $0 : nil } ?? Self.text(next())
    }

    /// Whether `text` has 1 to 128 letters, digits, `_` and `-`.
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

    /// Returns a new ID as a number.
    func next() -> UInt64 {
        SplitMix64.bits(of: state.wrappingAdd(SplitMix64.step, ordering: .relaxed).newValue)
    }

    /// The ID as sixteen hexadecimal digits.
    static func text(_ id: UInt64) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
