import CalotypeHTTP
import TaskFlow
import Testing

@Suite struct FreshnessCodingTests {
    private static let samples = [
        "", "Age: 5", "Expires: 0", "Expires: Sun, 06 Nov 1994 09:49:37 GMT", "ETag: \"é🎨\"",
        "Vary: *|ETag: W/\"x\"",
        "Date: Thu, 01 Jan 1970 00:00:00 GMT|Last-Modified: Fri, 31 Dec 9999 23:59:59 GMT",
        "Cache-Control: max-age=99999999999, s-maxage=0, public, private, immutable, must-revalidate, max-stale"
            + ", stale-while-revalidate=1, stale-if-error=2, min-fresh=3, no-cache, proxy-revalidate|Vary: X, Y, Z",
    ]

    @Test(arguments: samples)
    func `what is kept is read as it was written`(lines: String) throws {
        let response = try FreshnessSample.response(lines, status: 404, request: "X: 1|Y:", asked: .after(-9))
        let encoded = response.encoded
        #expect(StoredResponse(encoded: encoded) == response)
        #expect(encoded.count < 200)
    }

    @Test func `the largest response fits the limit`() throws {
        let value = String(repeating: "v", count: 64)
        let names = (0..<16).map { String(repeating: "n", count: 60) + "\(1000 + $0)" }
        let request = names.map { "\($0): \(value)" }.joined(separator: "|")
        let tag = "\"" + String(repeating: "a", count: 1022) + "\""
        let response = try FreshnessSample.response(
            "Vary: \(names.joined(separator: ","))|ETag: \(tag)|Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT",
            request: request
        )
        #expect(!response.variant.isUnmatchable)
        #expect(StoredResponse(encoded: response.encoded) == response)
        #expect(response.encoded.count < 4096)
    }

    @Test(arguments: samples)
    func `what is cut or longer is nothing`(lines: String) throws {
        let encoded = try FreshnessSample.response(lines).encoded
        for count in 0..<encoded.count { #expect(StoredResponse(encoded: Array(encoded[..<count])) == nil) }
        #expect(StoredResponse(encoded: encoded + [0]) == nil)
        #expect(StoredResponse(encoded: [encoded[0] &+ 1] + encoded.dropFirst()) == nil)
        #expect(StoredResponse(encoded: encoded + [UInt8](repeating: 0, count: 9000)) == nil)
    }

    @Test func `junk never traps`() throws {
        var random = SplitMix64(seed: 4)
        for sample in Self.samples {
            let encoded = try FreshnessSample.response(sample).encoded
            for _ in 0..<2000 {
                var bytes = encoded
                for _ in 0..<Int(random.next() % 4 + 1) {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                guard let response = StoredResponse(encoded: bytes) else { continue }
                _ = response.state(at: .after(0), request: HTTPHeaders(), policy: FreshnessPolicy())
                #expect(StoredResponse(encoded: response.encoded) == response)
            }
        }
    }
}
