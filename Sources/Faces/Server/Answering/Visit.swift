import CalotypeHTTP
import CalotypeHTTPListener
import Synchronization

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
    ///
    /// They are SplitMix64's: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
    private func next() -> String {
        var bits = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
