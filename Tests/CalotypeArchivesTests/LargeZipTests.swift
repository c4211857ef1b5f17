import Testing

@testable import CalotypeArchives

/// Zip files beyond what the first format could tell, read by somebody else's reader.
@Suite(.timeLimit(.minutes(2)))
struct LargeZipTests {
    @Test func `more than 65,535 members are all there`() throws {
        let file = try SparseFile()
        var zip = try ZipStream()
        for number in 0..<65_600 {
            try zip.begin("\(number)", bytes: 1, modified: 0)
            try zip.add([UInt8(truncatingIfNeeded: number)][...])
            try zip.end()
            if number % 1000 == 0 { try file.add(zip.take(), zeros: []) }
        }
        try zip.finish()
        try file.add(zip.take(), zeros: [])
        let script = """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1])
            assert archive.namelist() == [str(number) for number in range(65600)]
            assert all(archive.read(str(number)) == bytes([number % 256]) for number in (0, 300, 65534, 65535, 65536, 65599))
            """
        #expect(try file.judge(script) == 0)
    }

    /// Its bytes are zeros, which take no room on the disk.
    @Test func `a member of more than 4 GiB, and what comes after it, can be read`() throws {
        let file = try SparseFile()
        let zeros = [UInt8](repeating: 0, count: 16 << 20)
        let count = (4 << 30) + zeros.count
        var zip = try ZipStream()
        try zip.begin("large", bytes: count, modified: 0)
        for _ in 0..<count / zeros.count {
            try zip.add(zeros[...])
            try file.add(zip.take(), zeros: zeros)
        }
        try zip.end()
        try zip.begin("after", bytes: 3, modified: 0)
        try zip.add([1, 2, 3])
        try zip.end()
        try zip.finish()
        try file.add(zip.take(), zeros: zeros)
        let script = """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1])
            large, after = archive.infolist()
            assert (large.file_size, large.compress_size) == (\(count), \(count)) and after.header_offset > 1 << 32
            assert archive.read("after") == bytes([1, 2, 3])
            with archive.open("large") as member:
                assert member.read(1 << 20) == bytes(1 << 20)
            """
        #expect(try file.judge(script) == 0)
    }
}
