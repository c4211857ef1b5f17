import Testing

@testable import CalotypeHTTPMessages

/// The header fields of W3C Trace Context.
struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"
    private static let parent = "00-\(trace)-\(span)-01"

    @Test func `a valid context is read, and a child is another operation of its trace`() throws {
        let context = try #require(TraceContext(parent: Self.parent, state: "a=1,b=2"))
        #expect(context.traceID == Self.trace)
        #expect(context.spanID == Self.span)
        #expect(context.flags == 1)
        #expect(context.parent == Self.parent)
        let children = (0..<100).map { _ in context.child() }
        #expect(Set(children.map(\.spanID)).count == 100)
        for child in children {
            #expect(child.traceID == context.traceID && child.flags == 1 && child.state == "a=1,b=2")
            #expect(TraceContext(parent: child.parent, state: child.state) == child)
        }
    }

    @Test(
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
            "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(trace.dropLast())-\(span)-01",
            "00-\(trace)g-\(span)-01", "00-\(String(repeating: "0", count: 32))-\(span)-01",
            "00-\(trace)-0000000000000000-01", "00-\(trace)-\(span)-+1", " 00-\(trace)-\(span)-01",
        ]
    )
    func `an invalid one is ignored`(_ parent: String) {
        #expect(TraceContext(parent: parent) == nil)
    }

    @Test func `later versions are read as far as they are known`() {
        for later in ["cc-\(Self.trace)-\(Self.span)-01", "01-\(Self.trace)-\(Self.span)-01-what-comes"] {
            #expect(TraceContext(parent: later)?.parent == Self.parent)
        }
    }

    @Test func `a tracestate that is empty, too long or no field value is left out`() {
        for state in ["", String(repeating: "a", count: 513), "a=1\r\nSet-Cookie: b", "a=\0"] {
            #expect(TraceContext(parent: Self.parent, state: state)?.state == nil)
        }
    }

    @Test func `several fields are joined, and names compare without case`() throws {
        var headers = HTTPHeaders()
        #expect(TraceContext(headers) == nil)
        headers.append(HeaderField("TraceParent", Self.parent))
        headers.append(HeaderField("tracestate", "a=1"))
        headers.append(HeaderField("Tracestate", "b=2"))
        let context = try #require(TraceContext(headers))
        #expect(context.state == "a=1,b=2")
        #expect(
            context.fields == [HeaderField("traceparent", Self.parent), HeaderField("tracestate", "a=1,b=2")]
        )
    }
}
