import CalotypeCore
import CalotypeHTTP
import Testing

@testable import CalotypePublish

@Suite struct MastodonValueTests {
    @Test(arguments: [
        (
            "Hello *bold* @x@y.example https://a.example/b?c=1&d <b>\nline2 #tag",
            "Hello <i>bold</i> @x@y.example <a href=\"https://a.example/b?c=1&d\" target=\"_blank\">"
                + "https://a.example/b?c=1&d</a> &lt;b&gt;<br>line2 <a href=\"http://s.test?t=tag\">#tag</a><br>"
        ),
        ("“Grüße” – 5 < 6 🐈‍⬛", "<p>\"Grüße\" - 5 &lt; 6 &#x1F408;&#8205;⬛</p>"),
        ("&amp; &nope; & &#x110000;", "&amp;amp; &amp;nope; &amp; &amp;#x110000;"),
        (":-)", ":-)"), ("", "<p></p>"), ("a<b", "a<b"),
    ])
    func `a text is known in what a server made of it`(text: String, html: String) {
        #expect(StatusText(html: html) == StatusText(text))
    }

    @Test(arguments: [("Cats", "Dogs"), (":-)", ":-("), ("🐈", "🐕"), ("1", "2"), ("ab", "")])
    func `other texts are others`(text: String, html: String) {
        #expect(StatusText(html: html) != StatusText(text))
    }

    @Test func `a name may be shown without its host`() {
        #expect(
            StatusText("to @ada@example.org").withoutHosts == StatusText(html: "to <a>@<span>ada</span></a>")
        )
        #expect(StatusText("to ada@example.org").withoutHosts == StatusText("to ada@example.org"))
    }

    @Test(
        arguments: [
            ("2027-01-15T08:00:20Z", nil, 20), ("2027-01-15T08:00:20.500000Z", nil, 20.5),
            ("2027-01-15T09:00:20+01:00", nil, 20), ("1800000030", nil, 30), ("300", nil, 300),
            // The moment has passed by this machine's clock, and not by the server's.
            ("2027-01-15T07:00:20Z", "Fri, 15 Jan 2027 07:00:00 GMT", 20),
            ("2027-01-15T07:00:00Z", nil, 1), ("9999-01-01T00:00:00Z", nil, 86_400),
            ("99999999999999999999", nil, 86_400),
            ("soon", nil, nil), ("", nil, nil), ("-5", nil, nil),
        ] as [(String, String?, Double?)]
    )
    func `a reset is a pause`(reset: String, date: String?, seconds: Double?) throws {
        var headers = HTTPHeaders([try HeaderField(checking: "X-RateLimit-Reset", reset)])
        if let date { headers.append(try HeaderField(checking: "Date", date)) }
        let pause = RateLimit.pause(headers, now: WallTime(secondsSince1970: 1_800_000_000))
        #expect(pause == seconds.map { .seconds($0) })
    }

    @Test func `without a reset there is no pause`() {
        #expect(RateLimit.pause(HTTPHeaders(), now: WallTime(secondsSince1970: 0)) == nil)
    }
}
