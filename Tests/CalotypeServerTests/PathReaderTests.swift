import CalotypeServer
import Testing

@Suite
struct PathReaderTests {
    @Test func `a path without anything is refused`() {
        #expect(throws: RequestRefusal.self) { try PathReader(PathConfiguration()).order("/", now: 0) }
    }
}
