import CalotypeCore
import Glibc
import Testing

struct AtomicFileTests {
    private let folder = "/tmp/calotype-atomic-\(UInt64.random(in: 0...UInt64.max))"

    @Test func `a file is replaced whole and nothing else is left`() throws {
        unsafe mkdir(folder, 0o700)
        defer { removeFolder() }
        try AtomicFile.write([1, 2, 3], to: "\(folder)/a")
        try AtomicFile.write([4], to: "\(folder)/a")
        let bytes = try OpenFile("\(folder)/a", O_RDONLY).read(10)
        #expect(bytes == [4])
        #expect(names() == ["a"])
    }

    @Test func `a folder that is not there is a storage failure with the system's words`() {
        let facts = ImageFacts(format: .png, storedSize: PixelSize(width: 1, height: 1))
        let size = PixelSize(width: 1, height: 1)
        let picture = Rendition(bytes: [], format: .png, size: size, source: facts, sourceBytes: ByteCount(0))
        let error = #expect(throws: CalotypeError.self) { try picture.write(to: "\(folder)/no/a.png") }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.contains("No such file") == true)
    }

    private func names() -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private func removeFolder() {
        for name in names() { unsafe unlink("\(folder)/\(name)") }
        unsafe rmdir(folder)
    }
}
