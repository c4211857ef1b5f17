import CalotypeFiles
import CalotypePlatform
import Testing

struct AtomicFileTests {
    private let scratch = ScratchFolder()

    @Test func `a file is replaced whole and nothing else is left`() throws {
        try AtomicFile.write([1, 2, 3], to: "\(scratch.path)/a")
        try AtomicFile.write([4], to: "\(scratch.path)/a")
        let bytes = try OpenFile("\(scratch.path)/a", O_RDONLY).read(10)
        #expect(bytes == [4])
        #expect(scratch.names == ["a"])
    }

    @Test func `a folder that is not there fails with the system's words`() {
        let error = #expect(throws: SystemError.self) {
            try AtomicFile.write([1], to: "\(scratch.path)/no/a")
        }
        #expect(error?.description.contains("No such file") == true)
        #expect(scratch.names == [])
    }

    @Test func `a lock belongs to one open file and ends with it`() throws {
        let path = "\(scratch.path)/lock"
        var first: OpenFile? = try OpenFile(path, O_RDWR | O_CREAT)
        let second = try OpenFile(path, O_RDWR)
        #expect(try first?.lock(byteAt: 7) == true)
        #expect(try second.lock(byteAt: 7) == false)
        #expect(try second.isLocked(byteAt: 7))
        #expect(try second.lock(byteAt: 8))
        first = nil
        #expect(try second.lock(byteAt: 7))
    }
}
