import CalotypeCore
import CalotypeTestKit

/// A body of which parts can be answered.
struct RangedBody {
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    static let tag: KeyValuePairs = ["ETag": "\"one\""]

    let bytes: [UInt8]

    init(count: Int = 200_000, seed: Int = 1) {
        bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ seed) }
    }

    /// The whole.
    func whole(_ headers: KeyValuePairs<String, String> = tag) -> ScriptedResponse {
        ScriptedResponse(headers: headers, body: [.bytes(bytes)])
    }

    /// The whole, cut.
    func cut(_ count: Int, _ headers: KeyValuePairs<String, String> = tag) -> ScriptedResponse {
        whole(headers).cut(after: ByteCount(count))
    }

    /// The rest to whom asks for it, and to others the whole, cut after `count` bytes.
    func answer(_ range: String?, cutAfter count: Int) -> ScriptedResponse {
        let start = range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        let answer = start.map { rest($0) } ?? cut(count)
        return answer.inPieces(of: .kibibytes(16), every: .milliseconds(3))
    }

    /// What follows the first `start` bytes, with a `Content-Range` of its own where one is given.
    func rest(_ start: Int, _ range: String? = nil, tag: String? = "\"one\"") -> ScriptedResponse {
        let range = range ?? "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"
        let body: [ScriptedStep] = [.bytes(Array(bytes[start...]))]
        guard let tag else {
            return ScriptedResponse(status: 206, headers: ["Content-Range": range], body: body)
        }
        return ScriptedResponse(status: 206, headers: ["Content-Range": range, "ETag": tag], body: body)
    }
}
