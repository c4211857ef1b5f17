import CalotypeCatalog
import Testing

@testable import CalotypeApp

struct QueryValuesTests {
    @Test func `names and values are those that forms write`() throws {
        let values = try QueryValues(of: "/api/search?term=a+b%20%C3%A4&empty=&flag&limit=7#x=1")
        #expect(values["term"] == "a b ä")
        #expect(values["empty"] == nil)
        #expect(values["flag"] == nil)
        #expect(values["x"] == nil)
        #expect(try values.number("limit", in: 1...10, else: 3) == 7)
        #expect(try values.number("other", in: 1...10, else: 3) == 3)
        #expect(try values.country() == "us")
    }

    @Test(arguments: ["?a=%", "?a=%4", "?a=%zz", "?a=%ff", "?a=%00", "?a=1&a=2", "?%=1"])
    func `what is no text, or there twice, is refused`(query: String) {
        #expect(throws: APIError.self) { try QueryValues(of: query) }
    }

    @Test(arguments: ["0", "11", "-1", "+1", "1.0", "1e1", "٣", "99999999999999999999", " 1"])
    func `a number has its range and its digits`(text: String) throws {
        let values = try QueryValues(of: "?n=\(text)")
        #expect(throws: APIError.self) { try values.number("n", in: 1...10, else: 3) }
    }

    @Test(arguments: [("1", 32), ("32", 32), ("33", 64), ("97", 128), ("1025", 2048), ("4096", 4096)])
    func `sizes are few`(given: String, side: Int) throws {
        #expect(try QueryValues(of: "?side=\(given)").side(else: 7, most: 4096) == side)
    }

    @Test func `texts, countries and words have their limits`() throws {
        let values = try QueryValues(of: "?text=abcd&country=usa&set=set9")
        #expect(try values.text("text", atMost: 4) == "abcd")
        #expect(throws: APIError.self) { try values.text("text", atMost: 3) }
        #expect(throws: APIError.self) { try values.country() }
        #expect(throws: APIError.self) { try values.choice("set", of: RobotStyle.Kind.self) }
        #expect(try QueryValues(of: "?country=DE").country() == "de")
    }
}
