import CalotypeHTTP
import HTTPListener
import Testing

@testable import CalotypeApp

struct AppGuardTests {
    private static func entrance(
        token: String? = nil,
        bind: String = "127.0.0.1",
        key: UInt8 = 7
    ) throws -> AppGuard {
        try AppGuard(token: token, bindHost: bind, key: [UInt8](repeating: key, count: 32))
    }

    private static func request(_ fields: KeyValuePairs<String, String>) -> IncomingRequest {
        IncomingRequest(
            method: "GET",
            target: "/api/session",
            headers: HTTPHeaders(fields.map { HTTPHeaders.Field(unchecked: $0.key, $0.value) }),
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
    func `requests of other sites' pages are refused (W02)`(origin: String, code: String?) throws {
        let fields: KeyValuePairs = ["Host": "127.0.0.1:8080", "Origin": origin]
        #expect(Self.refusal(try Self.entrance(), fields) == code)
        #expect(Self.refusal(try Self.entrance(token: "t"), fields) == code)
    }

    @Test func `one foreign origin among several is enough (W02)`() throws {
        let fields: KeyValuePairs = [
            "Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080", "Origin": "http://evil.example",
        ]
        #expect(Self.refusal(try Self.entrance(), fields) == "foreign_origin")
    }

    @Test(arguments: [
        ("cross-site", "foreign_origin"), ("same-site", "foreign_origin"), ("Cross-Site", "foreign_origin"),
        ("same-origin", nil), ("none", nil),
    ])
    func `what the browser says of the site counts (W02)`(site: String, code: String?) throws {
        let fields: KeyValuePairs = ["Host": "127.0.0.1:8080", "Sec-Fetch-Site": site]
        #expect(Self.refusal(try Self.entrance(), fields) == code)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", nil), ("[::1]:8080", nil), ("192.0.2.7", nil), ("localhost:8080", nil),
        ("LOCALHOST", nil),
        ("photos.test:8080", nil), ("evil.example:8080", "foreign_host"), ("", "foreign_host"),
        ("localhost.evil.example", "foreign_host"), ("127.0.0.1.evil.example", "foreign_host"),
    ])
    func `without a token a name that points here from elsewhere is refused (W03)`(
        host: String,
        code: String?
    ) throws {
        #expect(Self.refusal(try Self.entrance(bind: "photos.test"), ["Host": host]) == code)
        #expect(Self.refusal(try Self.entrance(token: "t"), ["Host": host]) == nil)
    }

    @Test func `a request without a host is refused without a token (W03)`() throws {
        #expect(Self.refusal(try Self.entrance(), [:]) == "foreign_host")
    }

    @Test func `without a token all may use it`() throws {
        let entrance = try Self.entrance()
        #expect(!entrance.needsToken)
        #expect(entrance.isOpen(to: Self.request([:])))
    }

    @Test func `the token opens it, as a bearer's or for a cookie (W04)`() throws {
        let entrance = try Self.entrance(token: "right")
        let cookie = try #require(entrance.cookie.value.split(separator: ";").first)
        #expect(!entrance.isOpen(to: Self.request([:])))
        #expect(entrance.isOpen(to: Self.request(["Authorization": "Bearer right"])))
        #expect(entrance.isOpen(to: Self.request(["Authorization": "bearer right"])))
        #expect(entrance.isOpen(to: Self.request(["Cookie": "a=b; \(cookie); c=d"])))
        #expect(!entrance.isOpen(to: Self.request(["Authorization": "Bearer wrong"])))
        #expect(!entrance.isOpen(to: Self.request(["Authorization": "Basic right"])))
        #expect(!entrance.isOpen(to: Self.request(["Cookie": "calotype_session=right"])))
        #expect(!entrance.isOpen(to: Self.request(["Cookie": "\(cookie)0"])))
        #expect(!entrance.isOpen(to: Self.request(["Cookie": "x\(cookie)"])))
    }

    @Test func `the cookie does not hold the token, and is good for one start of the server (W04)`() throws {
        let (one, other) = (try Self.entrance(token: "right"), try Self.entrance(token: "right", key: 8))
        let value = one.cookie.value
        #expect(!value.contains("right"))
        for attribute in ["HttpOnly", "SameSite=Strict", "Path=/api"] { #expect(value.contains(attribute)) }
        let cookie = String(try #require(value.split(separator: ";").first))
        #expect(!other.isOpen(to: Self.request(["Cookie": cookie])))
    }
}
