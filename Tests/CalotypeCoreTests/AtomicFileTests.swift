import CalotypeCore
import Glibc
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

    @Test func `a folder that is not there is a storage failure with the system's words`() {
        let facts = ImageFacts(format: .png, storedSize: PixelSize(width: 1, height: 1))
        let size = PixelSize(width: 1, height: 1)
        let picture = Rendition(bytes: [], format: .png, size: size, source: facts, sourceBytes: ByteCount(0))
        let error = #expect(throws: CalotypeError.self) { try picture.write(to: "\(scratch.path)/no/a.png") }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.contains("No such file") == true)
    }
}
