import CalotypeHTTP
import Testing

@testable import CalotypeBulk

struct RobotsRulesTests {
    private static func allows(_ file: String, _ path: String, product: String = "Calotype") -> Bool {
        RobotsRules(file.utf8, product: product).allows(path)
    }

    @Test(arguments: [
        ("", "/a", true), ("Disallow: /", "/a", true),
        ("user-agent: *\ndisallow: /", "/a", false), ("User-Agent: *\r\nDisallow: /a\r\n", "/b", true),
        ("User-agent: *\rDisallow: /a # all of it\r", "/a/b", false),
        ("User-agent: *\nDisallow:", "/a", true), ("User-agent: *\nDisallow: /", "/robots.txt", true),
        ("\u{FEFF}User-agent: *\nDisallow: /", "/a", false),
        // The longest match decides, and Allow wins a tie.
        ("User-agent: *\nDisallow: /p\nAllow: /p/open", "/p/open/1", true),
        ("User-agent: *\nAllow: /p\nDisallow: /p/closed", "/p/closed/1", false),
        ("User-agent: *\nDisallow: /p\nAllow: /p", "/p", true),
        ("User-agent: *\nAllow: /page\nDisallow: /*.html", "/page.html", false),
        // Wildcards and the end.
        ("User-agent: *\nDisallow: /*.gif$", "/a/b.gif", false),
        ("User-agent: *\nDisallow: /*.gif$", "/a/b.gif?x", true),
        ("User-agent: *\nDisallow: /a*b*c", "/a1b2b3c4", false),
        ("User-agent: *\nDisallow: /a*b*c$", "/a1b2c3", true),
        ("User-agent: *\nDisallow: *", "/a", false), ("User-agent: *\nDisallow: /$", "/", false),
        ("User-agent: *\nDisallow: /$", "/a", true), ("User-agent: *\nDisallow: /a?x=", "/a?x=1", false),
        // Escapes (RFC 9309, section 2.2.2).
        ("User-agent: *\nDisallow: /a/%7Ebob", "/a/~bob/1", false),
        ("User-agent: *\nDisallow: /ツ", "/%E3%83%84", false),
        ("User-agent: *\nDisallow: /%e3%83%84", "/ツ", false),
        ("User-agent: *\nDisallow: /a%2Fb", "/a/b", true),
        ("User-agent: *\nDisallow: /a%2A", "/ab", true), ("User-agent: *\nDisallow: /a%2A", "/a*", false),
        ("User-agent: *\nDisallow: /a%24", "/a$", false), ("User-agent: *\nDisallow: /100%", "/100%", false),
        // Groups.
        ("User-agent: other\nDisallow: /", "/a", true),
        ("User-agent: other\nUser-agent: calotype\nDisallow: /", "/a", false),
        ("User-agent: *\nDisallow: /\n\nUser-agent: CALOTYPE/2.0\nAllow: /", "/a", true),
        (
            "User-agent: calotype\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: Calotype\nDisallow: /c",
            "/c", false
        ),
        ("User-agent: calotype\nDisallow: /a\nUser-agent: x\nDisallow: /b", "/b", true),
        ("User-agent: calotype-images\nDisallow: /", "/a", true),
        ("Sitemap: http://h/s\nUser-agent: *\nSitemap: http://h/t\nDisallow: /", "/a", false),
    ])
    func `a file allows a path or not`(_ file: String, _ path: String, _ allows: Bool) {
        #expect(Self.allows(file, path) == allows)
    }

    @Test func `nothing is read beyond the limit, and no half of a line`() {
        let filling = String(repeating: "# 345678901234\n", count: RobotsRules.limit / 15)
        let file = "User-agent: *\nDisallow: /a\n" + filling + "Allow: /\nDisallow: /b\n"
        #expect(!Self.allows(file, "/a") && Self.allows(file, "/b"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `patterns that would take hours disallow everything`() {
        let stars = String(repeating: "*a", count: 2000)
        let file = "User-agent: *\n" + String(repeating: "Disallow: /\(stars)b\n", count: 100)
        #expect(!Self.allows(file, "/" + String(repeating: "a", count: 30_000)))
    }

    @Test(
        arguments: [("2.5", 2500), ("0", 0), ("-1", nil), ("soon", nil), ("1e99", nil)] as [(String, Int?)]
    )
    func `the delay is that of the crawler's own group`(_ text: String, _ milliseconds: Int?) {
        let file = "User-agent: *\nCrawl-delay: 9\nUser-agent: calotype\nCrawl-delay: \(text)"
        let delay = RobotsRules(file.utf8, product: "calotype").crawlDelay
        #expect(delay == milliseconds.map { .milliseconds($0) })
    }

    @Test(arguments: [
        ("Calotype/0.1 libcurl/8", "Calotype"), ("my-bot", "my-bot"), ("", ""),
        ("Mozilla/5.0 (compatible; ImageBot/2.1; +https://example.org/bot)", "ImageBot"),
    ])
    func `the product token comes from the user agent`(_ text: String, _ product: String) {
        #expect(RobotsRules.product(of: text) == product)
    }

    @Test(
        arguments: [
            (["X-Robots-Tag: noai"], "noai"), (["X-Robots-Tag: NoIndex , nofollow"], "noindex"),
            (["X-Robots-Tag: nofollow"], nil), (["X-Robots-Tag: none"], "none"),
            (["X-Robots-Tag: otherbot: noindex, noai"], nil),
            (["X-Robots-Tag: calotype: noimageai"], "noimageai"),
            (["X-Robots-Tag: nofollow", "X-Robots-Tag: noimageindex"], "noimageindex"),
            (["X-Robots-Tag: otherbot: noai, Calotype: nofollow, noai"], "noai"),
            (["X-Robots-Tag: unavailable_after: 25 Jun 2027 15:00:00 PST, noai"], "noai"),
            (["TDM-Reservation: 1"], "1"), (["TDM-Reservation: 0"], nil),
        ] as [([String], String?)]
    )
    func `a response's head refuses its picture or not`(_ lines: [String], _ word: String?) {
        let fields = lines.map { line in
            let sides = line.split(separator: ":", maxSplits: 1)
            return HeaderField(String(sides[0]), String(sides[1]))
        }
        let directives = UseDirectives(refused: HostManners.Options.defaultDirectives, product: "calotype")
        let refusal = directives.refusal(in: HTTPHeaders(fields))
        #expect(refusal?.split(separator: " ").last.map(String.init) == word)
    }
}
