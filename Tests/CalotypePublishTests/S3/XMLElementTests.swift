import CalotypeCore
import Testing

@testable import CalotypePublish

@Suite struct XMLElementTests {
    private func read(_ text: String) throws -> XMLElement {
        try XMLElement(document: Array(text.utf8))
    }

    @Test func `elements, text, references and CDATA are read; attributes, comments and prefixes are not`()
        throws
    {
        let element = try read(
            """
            \u{FEFF}<?xml version="1.0"?><!-- a > b --><s3:List xmlns:s3="http://x/?a>b" b='"/>'>
              <A>1 &lt;&#65;&#x42;&amp;<!-- no -->&quot;&apos;</A><A/><B><![CDATA[<x>&amp;]]></B>
            </s3:List>
            """
        )
        #expect(element.name == "List")
        #expect(element.all("A").map(\.text) == ["1 <AB&\"'", ""])
        #expect(element["B"] == "<x>&amp;")
        #expect(element["C"] == nil)
        #expect(element.text.split(whereSeparator: \.isWhitespace) == [])
    }

    @Test func `blanks before the document are skipped, as servers send them while they work`() throws {
        let element = try read("\n  \r\n <?xml version='1.0'?>\n<Error><Code>X</Code></Error>\n\n")
        #expect(element["Code"] == "X")
    }

    @Test func `numbers are read as text, with blanks`() throws {
        let element = try read("<P><N> 12\n</N><M>1 2</M><O/></P>")
        #expect(element.number("N") == 12)
        #expect(element.number("M") == nil)
        #expect(element.number("O") == nil)
    }

    @Test(arguments: [
        "", "   ", "text", "<a>", "<a", "<a b", "<a b='", "<a/", "<", "<>", "</a>", "<a></b>", "<a/><b/>",
        "<a/>x",
        "x<a/>", "<a>&unknown;</a>", "<a>&amp</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x;</a>",
        "<a>&#+5;</a>",
        "<a>&#x110000;</a>", "<a>&;</a>", "<a>&#99999999999999;</a>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<a><!DOCTYPE a></a>", "<a><!-- ></a>", "<a><![CDATA[ ></a>", "<?xml <a/>", "<a <b/></a>", "<a></a",
        "<![CDATA[x]]><a/>", "{\"json\": true}", "<html><body><p>unclosed</body></html>",
    ])
    func `what is no XML is an error, and nothing worse`(_ text: String) throws {
        let error = try #require(throws: CalotypeError.self) { try read(text) }
        #expect(error.code == .invalidDocument)
    }

    @Test func `depth, number and names of elements have limits`() throws {
        func deep(_ count: Int) -> String {
            String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
        }
        #expect(try read(deep(XMLReader.depthLimit)).name == "a")
        #expect(throws: CalotypeError.self) { try read(deep(XMLReader.depthLimit + 1)) }
        #expect(throws: CalotypeError.self) { try read(deep(100_000)) }
        let many = "<a>" + String(repeating: "<b/>", count: XMLReader.elementLimit) + "</a>"
        #expect(throws: CalotypeError.self) { try read(many) }
        #expect(throws: CalotypeError.self) { try read("<\(String(repeating: "n", count: 129))/>") }
        let enough = "<a>" + String(repeating: "<b/>", count: XMLReader.elementLimit - 1) + "</a>"
        #expect(try read(enough).children.count == XMLReader.elementLimit - 1)
    }

    @Test func `every beginning of a document is an error`() throws {
        let whole = Array("<?xml version=\"1.0\"?><a b=\"c\"><d>&lt;</d><![CDATA[e]]><!-- f --></a>".utf8)
        for length in 0..<whole.count {
            #expect(throws: CalotypeError.self) { try XMLElement(document: Array(whole[..<length])) }
        }
        #expect(try XMLElement(document: whole)["d"] == "<")
    }

    @Test func `bytes that are no text never trap`() throws {
        for seed in 1...300 {
            var bytes = Array("<a><b>&amp;</b><c/></a>".utf8)
            let random = noise(6, seed: UInt64(seed))
            for pair in [0, 2, 4] { bytes[Int(random[pair]) % bytes.count] = random[pair + 1] }
            // Either is fine.
            _ = try? XMLElement(document: bytes)
        }
    }

    @Test func `what is written can be read`() throws {
        let text = "a&b<c>\"d'\u{1F600}\u{1}"
        #expect(try read("<a>\(XMLText.encoded(text))</a>").text == "a&b<c>\"d'\u{1F600}")
    }
}
