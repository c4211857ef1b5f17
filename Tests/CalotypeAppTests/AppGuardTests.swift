import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import Testing

@testable import CalotypeApp

struct AppGuardTests {
    private static func entrance(
        token: String? = nil,
        bind: String = "127.0.0.1",
        key: UInt8 = 7,
        clock: any Clock<Duration> = ManualClock()
    ) throws -> AppGuard {
        try AppGuard(token: token, bindHost: bind, key: [UInt8](repeating: key, count: 32), clock: clock)
    }

    /// What a guess of the token comes to.
    private static func guess(_ entrance: AppGuard, _ token: String) -> Guess {
        do throws(APIError) {
            return try entrance.knows(token) ? .right : .wrong
        } catch {
            return .refused(error.status, error.response.headers["Retry-After"])
        }
    }

    private enum Guess: Equatable {
        case right
        case wrong
        case refused(Int, String?)
    }

    private static func request(_ fields: KeyValuePairs<String, String>) -> IncomingRequest {
        IncomingRequest(
            method: "GET",
            target: "/api/session",
            headers: HTTPHeaders(fields.map { HeaderField($0.key, $0.value) }),
            client: "192.0.2.1",
            arrival: .now,
            body: .empty
        )
    }

    /// The code of the refusal; `nil` where there is none.
    private static func refusal(_ entrance: AppGuard, _ fields: KeyValuePairs<String, String>) -> String? {
        do throws(APIError) {
            try entrance.checkSite(request(fields))
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", nil), ("https://127.0.0.1:8080", nil), ("HTTP://127.0.0.1:8080", nil),
        ("http://127.0.0.1:8081", "foreign_origin"), ("http://127.0.0.1", "foreign_origin"),
        ("http://evil.example", "foreign_origin"), ("null", "foreign_origin"), ("", "foreign_origin"),
        ("http://127.0.0.1:8080.evil.example", "foreign_origin"), ("file://", "foreign_origin"),
    ])
    func `requests of other sites' pages are refused`(origin: String, code: String?) throws {
        let fields: KeyValuePairs = ["Host": "127.0.0.1:8080", "Origin": origin]
        #expect(Self.refusal(try Self.entrance(), fields) == code)
        #expect(Self.refusal(try Self.entrance(token: "t"), fields) == code)
    }

    @Test func `one foreign origin among several is enough`() throws {
        let fields: KeyValuePairs = [
            "Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080", "Origin": "http://evil.example",
        ]
        #expect(Self.refusal(try Self.entrance(), fields) == "foreign_origin")
    }

    @Test(arguments: [
        ("cross-site", "foreign_origin"), ("same-site", "foreign_origin"), ("Cross-Site", "foreign_origin"),
        ("same-origin", nil), ("none", nil),
    ])
    func `what the browser says of the site counts`(site: String, code: String?) throws {
        let fields: KeyValuePairs = ["Host": "127.0.0.1:8080", "Sec-Fetch-Site": site]
        #expect(Self.refusal(try Self.entrance(), fields) == code)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", nil), ("[::1]:8080", nil), ("192.0.2.7", nil), ("localhost:8080", nil),
        ("LOCALHOST", nil),
        ("photos.test:8080", nil), ("evil.example:8080", "foreign_host"), ("", "foreign_host"),
        ("localhost.evil.example", "foreign_host"), ("127.0.0.1.evil.example", "foreign_host"),
    ])
    func `without a token a name that points here from elsewhere is refused`(
        host: String,
        code: String?
    ) throws {
        #expect(Self.refusal(try Self.entrance(bind: "photos.test"), ["Host": host]) == code)
        #expect(Self.refusal(try Self.entrance(token: "t"), ["Host": host]) == nil)
    }

    @Test func `a request without a host is refused without a token`() throws {
        #expect(Self.refusal(try Self.entrance(), [:]) == "foreign_host")
    }

    @Test func `without a token all may use it`() throws {
        let entrance = try Self.entrance()
        #expect(!entrance.needsToken)
        #expect(try entrance.isOpen(to: Self.request([:])))
    }

    @Test func `the token opens it, as a bearer's or for a cookie`() throws {
        let entrance = try Self.entrance(token: "right")
        let cookie = try #require(entrance.cookie.value.split(separator: ";").first)
        #expect(try !entrance.isOpen(to: Self.request([:])))
        #expect(try entrance.isOpen(to: Self.request(["Authorization": "Bearer right"])))
        #expect(try entrance.isOpen(to: Self.request(["Authorization": "bearer right"])))
        #expect(try entrance.isOpen(to: Self.request(["Cookie": "a=b; \(cookie); c=d"])))
        #expect(try !entrance.isOpen(to: Self.request(["Authorization": "Bearer wrong"])))
        #expect(try !entrance.isOpen(to: Self.request(["Authorization": "Basic right"])))
        #expect(try !entrance.isOpen(to: Self.request(["Cookie": "calotype_session=right"])))
        #expect(try !entrance.isOpen(to: Self.request(["Cookie": "\(cookie)0"])))
        #expect(try !entrance.isOpen(to: Self.request(["Cookie": "x\(cookie)"])))
    }

    @Test func `after ten wrong tokens in a minute none is looked at, the right one neither`() throws {
        let clock = ManualClock()
        let entrance = try Self.entrance(token: "right", clock: clock)
        for number in 0..<10 {
            #expect(Self.guess(entrance, "wrong \(number)") == .wrong)
            clock.advance(by: .seconds(1))
        }
        #expect(Self.guess(entrance, "wrong") == .refused(429, "51"))
        #expect(Self.guess(entrance, "right") == .refused(429, "51"))
        clock.advance(by: .seconds(49))
        #expect(Self.guess(entrance, "right") == .refused(429, "2"))
        clock.advance(by: .seconds(1))
        #expect(Self.guess(entrance, "right") == .right)
        #expect(Self.guess(entrance, "wrong") == .wrong)
        #expect(Self.guess(entrance, "wrong") == .refused(429, "2"))
    }

    @Test func `right tokens do not count, and clients with a session are not delayed`() throws {
        let entrance = try Self.entrance(token: "right")
        for _ in 0..<100 { #expect(Self.guess(entrance, "right") == .right) }
        for _ in 0..<10 { #expect(Self.guess(entrance, "wrong") == .wrong) }
        let cookie = String(try #require(entrance.cookie.value.split(separator: ";").first))
        #expect(try entrance.isOpen(to: Self.request(["Cookie": cookie])))
        let both: KeyValuePairs = ["Cookie": cookie, "Authorization": "Bearer wrong"]
        #expect(try entrance.isOpen(to: Self.request(both)))
        #expect(throws: APIError.self) {
            try entrance.isOpen(to: Self.request(["Authorization": "Bearer right"]))
        }
        #expect(try !entrance.isOpen(to: Self.request([:])))
    }

    @Test func `without a token nothing is guessed`() throws {
        let entrance = try Self.entrance()
        for _ in 0..<20 { #expect(Self.guess(entrance, "anything") == .right) }
    }

    @Test func `the cookie does not hold the token, and is good for one start of the server`() throws {
        let (one, other) = (try Self.entrance(token: "right"), try Self.entrance(token: "right", key: 8))
        let value = one.cookie.value
        #expect(!value.contains("right"))
        for attribute in ["HttpOnly", "SameSite=Strict", "Path=/api"] { #expect(value.contains(attribute)) }
        let cookie = String(try #require(value.split(separator: ";").first))
        #expect(try !other.isOpen(to: Self.request(["Cookie": cookie])))
    }
}
