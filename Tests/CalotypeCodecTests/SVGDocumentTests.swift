import CalotypeCore
import Testing

@testable import CalotypeCodec

/// Drawings that stay drawings, for browsers.
@Suite(.timeLimit(.minutes(1)))
struct SVGDocumentTests {
    private static let names =
        #"xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink""#

    /// The cleaned contents of a drawing.
    private func cleaned(_ content: String) throws -> String {
        let document = "<svg width=\"4\" height=\"3\">\(content)</svg>"
        let text = String(decoding: try SVGCleaner.document(Array(document.utf8)), as: UTF8.self)
        let start = "<svg \(Self.names) width=\"4\" height=\"3\">"
        #expect(text.hasPrefix(start) && text.hasSuffix("</svg>"))
        return String(text.dropFirst(start.count).dropLast("</svg>".count))
    }

    @Test(
        arguments: [
            ##"<g fill="url(#a)" transform="scale(2) rotate(5)"><path d="M0 0h1"></path></g>"##,
            ##"<use href="#b" xlink:href="#c"></use>"##,
            ##"<title>A &amp; B</title><text x="1" font-family="serif">a<tspan>b</tspan> &lt;c&gt;</text>"##,
            ##"<image href="data:image/png;base64,iVBORw0KGgo="></image>"##,
            ##"<style>@media print{rect{fill:red}}path&gt;g{mask:url( '#m' )}</style>"##,
            ##"<rect style="fill:#f00;background:url(data:image/gif;base64,R0lGOD)"></rect>"##,
        ]
    )
    func `what is drawn stays`(_ content: String) throws {
        #expect(try cleaned(content) == content)
    }

    @Test(
        arguments: [
            ("<script>evil()</script><rect/>", "<rect></rect>"),
            ("<script><![CDATA[</script>]]></script>", ""),
            ("<rect onload='evil()' ONCLICK='evil()' width='1'/>", #"<rect width="1"></rect>"#),
            ("<a href='javascript:evil()' xlink:href='http://evil/'><rect/></a>", "<a><rect></rect></a>"),
            // HTML, in which a page may embed the drawing, ignores case.
            ("<a HREF='javascript:evil()'/>", "<a></a>"),
            ("<x:script xmlns:x='http://www.w3.org/2000/svg'>evil()</x:script>", ""),
            ("<svg:script>evil()</svg:script>", ""),
            ("<foreignObject><body><iframe src='http://evil/'/></body></foreignObject>", ""),
            (
                "<a><set attributeName='href' to='javascript:evil()'/><animate attributeName='href'/></a>",
                "<a></a>"
            ),
            ("<use href='http://evil/#a'/><use href=' #a'/>", "<use></use><use></use>"),
            ("<use href='data:image/svg+xml;base64,PHN2Zz4='/>", "<use></use>"),
            ("<image href='http://evil/a.png'/>", "<image></image>"),
            ("<image href='data:image/svg+xml;base64,PHN2Zz4='/>", "<image></image>"),
            ("<feImage href='http://evil/'/><handler>evil()</handler>", ""),
            ("<rect fill='URL(http://evil/#a)'/>", #"<rect fill="none"></rect>"#),
            (#"<rect fill='u\72l(http://evil/)'/>"#, #"<rect fill=""></rect>"#),
            ("<rect style='cursor:-webkit-image-set(\"http://evil/\" 1x)'/>", #"<rect style=""></rect>"#),
            ("<style>@import 'http://evil/';rect{fill:red}</style>", "<style> rect{fill:red}</style>"),
            ("<style>@im<x/>port 'http://evil/';</style>", "<style> </style>"),
            ("<style>@im@import 'http://evil/';port 'a'</style>", "<style>@im port 'a'</style>"),
            ("<style>@IMPORT<![CDATA[ url(http://evil/)]]></style>", "<style> </style>"),
            ("<style>a{b:url(\"http://evil/)c\")}</style>", #"<style>a{b:nonec&quot;)}</style>"#),
            (
                "<style>a{b:\"url(#\";c:url(http://evil/)}</style>",
                "<style>a{b:&quot;none}</style>"
            ),
            ("<style>a{b:url(http://evil/</style>", "<style>a{b:none</style>"),
            (#"<style>@\69mport 'http://evil/'</style>"#, "<style></style>"),
            ("<rect xmlns:e='http://evil/' e:href='x' xml:base='http://evil/'/>", "<rect></rect>"),
            ("<!-- evil --><?evil evil?><metadata>evil</metadata>evil", ""),
        ]
    )
    func `what runs or loads something is left out`(_ content: String, _ rest: String) throws {
        let found = try cleaned(content)
        #expect(found == rest)
        #expect(!found.contains("evil"))
        // Nothing appears that another cleaning would find.
        #expect(try cleaned(found) == rest)
    }

    @Test func `as it is, a drawing stays a drawing, whatever is kept`() async throws {
        let source = #"<svg width="4" height="3" onload="evil()"><text>a</text><metadata>b</metadata></svg>"#
        let wanted = "<svg \(Self.names) width=\"4\" height=\"3\"><text>a</text></svg>"
        var keeping = Transform.none
        keeping.edits.kept = [.all, .profile]
        // No worker is needed, because nothing is drawn; a drawing with text could not be.
        try await withImageCodec { codec in
            func made(_ transforms: [Transform]) async throws -> [CodedPicture] {
                let specs = transforms.map { PictureSpec.encoded(RenditionSpec($0, .original(quality: 80))) }
                return try await codec.pictures(of: .bytes(Array(source.utf8))) { specs }.map { try $0.get() }
            }
            for picture in try await made([.none, keeping]) {
                guard case .encoded(let bytes, let format) = picture.content else {
                    throw CodecError.outOfBytes
                }
                #expect(String(decoding: bytes, as: UTF8.self) == wanted)
                #expect(format == .svg && picture.size == PixelSize(width: 4, height: 3))
            }
            await #expect(throws: CalotypeError.self) { try await made([.fit(100, 100)]) }
        }
    }

    @Test func `a damaged drawing has an error, and no document`() async throws {
        let whole = Array(#"<svg width="4" height="3"><g><path d="M0 0h4"/></g></svg>"#.utf8)
        try await withImageCodec { codec in
            func code(_ bytes: [UInt8]) async -> ErrorCode? {
                await CalotypeCodecTests.code {
                    let spec = PictureSpec.encoded(RenditionSpec(.none, .original(quality: 80)))
                    _ = try await codec.pictures(of: .bytes(bytes)) { [spec] }[0].get()
                }
            }
            #expect(await code(whole) == nil)
            for count in 30..<whole.count {
                #expect(await code(Array(whole.prefix(count))) == .truncatedImage)
            }
            #expect(await code(Array("<svg><g></svg></g>".utf8)) == .corruptImage)
            // In Latin-1, as its declaration says, which would become other letters.
            let latin = Array("<?xml version='1.0' encoding='iso-8859-1'?><svg><text>".utf8) + [0xE9]
            #expect(await code(latin + Array("</text></svg>".utf8)) == .unsupportedFormat)
            let deep = String(repeating: "<g>", count: 300) + String(repeating: "</g>", count: 300)
            #expect(await code(Array("<svg>\(deep)</svg>".utf8)) == .unsupportedFormat)
        }
    }
}
