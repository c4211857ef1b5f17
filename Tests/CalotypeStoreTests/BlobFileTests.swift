import CalotypeCore
import CalotypeDigests
import CalotypeFiles
import CalotypePlatform
import CalotypeStore
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BlobFileTests {
    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    @Test(arguments: [0, 1, 3, 70_000], [0, 1, 8, 100_000])
    func `what was written is read`(_ metadata: Int, _ value: Int) throws {
        let folder = try BlobFolder()
        let entry = StoredEntry(metadata: Self.bytes(metadata), bytes: Self.bytes(value))
        try folder.write(entry)
        let read = try folder.read()
        #expect(read == entry)
        let length = try folder.bytes.count
        #expect(length == 68 + metadata + value)
    }

    @Test func `the head contains key, lengths, time and metadata`() throws {
        let folder = try BlobFolder()
        try folder.write()
        let head = try #require(try BlobFile.readHead(BlobFolder.name, in: folder.file))
        #expect(head.header.key == folder.key)
        #expect(head.header.createdMilliseconds == 1_234_567_890_123)
        #expect(head.header.valueLength == 5)
        #expect(head.metadata == [7, 8, 9])
    }

    @Test func `a file that is not there is no fault`() throws {
        let folder = try BlobFolder()
        let absent = try folder.read()
        #expect(absent == nil)
        let head = try BlobFile.readHead("no/such", in: folder.file)
        #expect(head == nil)
        try folder.write()
        let belowFile = try folder.read(BlobFolder.name + "/b")
        #expect(belowFile == nil)
    }

    @Test func `cut at any place it is damaged`() throws {
        let folder = try BlobFolder()
        try folder.write()
        let whole = try folder.bytes
        for count in whole.indices {
            try folder.replaceFile([UInt8](whole[..<count]))
            let damage = try folder.damage()
            #expect(damage == .truncated, "\(count) bytes")
            let headDamage = try folder.headDamage()
            #expect(headDamage == .truncated, "\(count) bytes")
        }
    }

    @Test func `with any bit flipped it is damaged`() throws {
        let folder = try BlobFolder()
        try folder.write()
        let whole = try folder.bytes
        for place in whole.indices {
            for bit in 0..<8 {
                var flipped = whole
                flipped[place] ^= 1 << bit
                try folder.replaceFile(flipped)
                let damage = try folder.damage()
                #expect(damage != nil, "bit \(bit) of byte \(place)")
                let headDamage = try folder.headDamage()
                #expect((headDamage != nil) == (place < 67), "bit \(bit) of byte \(place)")
            }
        }
    }

    @Test func `with bytes after its end it is damaged`() throws {
        let folder = try BlobFolder()
        try folder.write()
        let whole = try folder.bytes
        for more in [[0], [1, 2, 3], whole] {
            try folder.replaceFile(whole + more)
            let damage = try folder.damage()
            #expect(damage == .tooLong)
        }
    }

    @Test func `the contents of another file do not go with its header`() throws {
        let folder = try BlobFolder()
        try folder.write()
        let one = try folder.bytes
        let other = try BlobFolder()
        try BlobFile.write(
            StoredEntry(metadata: [7, 8, 9], bytes: [5, 4, 3, 2, 1]),
            key: try Digest(.sha256, of: "another key"),
            createdMilliseconds: 0,
            as: BlobFolder.name,
            in: other.file
        )
        let mixed = one[..<67] + (try other.bytes)[67...]
        try folder.replaceFile([UInt8](mixed))
        let damage = try folder.damage()
        #expect(damage == .wrongChecksum)
    }

    @Test func `another key's value is damage, however good`() throws {
        let folder = try BlobFolder()
        try folder.write()
        var key = folder.key.bytes
        key[31] ^= 1
        #expect(throws: BlobError.self) {
            try BlobFile.read(BlobFolder.name, in: folder.file, key: Digest(bytes: key))
        }
    }

    @Test func `another version is damage, however good`() throws {
        let folder = try BlobFolder()
        try folder.write()
        var bytes = try folder.bytes
        bytes[4] = 2
        let checksum = CRC32C.of([UInt8](bytes[..<60]))
        for byte in 0..<4 { bytes[60 + byte] = UInt8(truncatingIfNeeded: checksum >> (8 * byte)) }
        try folder.replaceFile(bytes)
        let damage = try folder.damage()
        #expect(damage == .wrongVersion)
    }

    @Test func `a header that announces more than allowed is refused`() throws {
        let folder = try BlobFolder()
        try folder.write()
        let allowed = try folder.damage(limit: ByteCount(5))
        #expect(allowed == nil)
        let refused = try folder.damage(limit: ByteCount(4))
        #expect(refused == .tooLarge)
        let refusedHead = try folder.headDamage(limit: ByteCount(4))
        #expect(refusedHead == .tooLarge)
    }

    @Test func `a folder, a link and a pipe in its place are damage and stop nothing`() throws {
        let folder = try BlobFolder()
        try folder.write()
        let path = folder.path
        #expect(unsafe mkdir(path + "/folder", 0o700) == 0)
        #expect(unsafe symlink(BlobFolder.name, path + "/link") == 0)
        #expect(unsafe mkfifo(path + "/pipe", 0o600) == 0)
        for name in ["folder", "link", "pipe"] {
            let damage = try folder.damage(name)
            #expect(damage == .notAFile, "\(name)")
        }
    }

    @Test func `a name that is taken keeps its file`() throws {
        let folder = try BlobFolder()
        try folder.write()
        let error = #expect(throws: SystemError.self) {
            try folder.write(StoredEntry(metadata: [], bytes: [9]))
        }
        #expect(error?.code == EEXIST)
        let read = try folder.read()
        #expect(read == BlobFolder.entry)
    }

    @Test func `metadata over the limit is refused and leaves no file`() throws {
        let folder = try BlobFolder()
        let error = #expect(throws: SystemError.self) {
            try folder.write(StoredEntry(metadata: Self.bytes((1 << 20) + 1), bytes: []))
        }
        #expect(error?.code == EFBIG)
        let names = try folder.names()
        #expect(names == [])
    }

    @Test func `a write that fails in the middle leaves no file`() async {
        await #expect(processExitsWith: .success) {
            let folder = try BlobFolder()
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let error = #expect(throws: SystemError.self) {
                try folder.write(StoredEntry(metadata: [1], bytes: [UInt8](repeating: 1, count: 5000)))
            }
            #expect(error?.code == EFBIG)
            let names = try folder.names()
            #expect(names == [])
        }
    }
}
