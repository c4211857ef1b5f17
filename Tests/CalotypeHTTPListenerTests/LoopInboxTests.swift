import Testing

@testable import CalotypeHTTPListener

/// What reaches the library's thread.
@Suite struct LoopInboxTests {
    private let first = unsafe MHDConnection(pointer: OpaquePointer(bitPattern: 0x100).unsafelyUnwrapped)
    private let second = unsafe MHDConnection(pointer: OpaquePointer(bitPattern: 0x200).unsafelyUnwrapped)

    @Test func `a resumption counts for a suspension that it overtakes`() throws {
        let inbox = try LoopInbox()
        defer { inbox.close() }
        inbox.resume(first)
        inbox.suspending(first)
        inbox.suspending(second)
        #expect(inbox.take().resumed == [first])
        #expect(inbox.take().resumed == [])
        inbox.resume(second)
        #expect(inbox.take().resumed == [second])
    }

    @Test func `at the end all that are suspended are resumed, whether somebody asked or not`() throws {
        let inbox = try LoopInbox()
        defer { inbox.close() }
        inbox.suspending(first)
        inbox.suspending(second)
        inbox.resume(second)
        inbox.end()
        #expect(Set(inbox.takeAll().resumed) == [first, second])
        inbox.resume(first)
        let late = inbox.take()
        #expect(late.resumed == [] && late.isEnding)
    }
}
