import CalotypeFiles
import CalotypePlatform
import Testing

/// The last descriptors of a process, which are left to the C library and libdispatch.
@Suite(.serialized)
struct DescriptorLimitTests {
    private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    @Test func `files never take the last descriptors`() throws {
        var before = rlimit()
        #expect(unsafe getrlimit(Self.kind, &before) == 0)
        var low = before
        low.rlim_cur = 256
        #expect(unsafe setrlimit(Self.kind, &low) == 0)
        defer { unsafe setrlimit(Self.kind, &before) }
        var files: [OpenFile] = []
        let error = #expect(throws: SystemError.self) {
            while true { files.append(try OpenFile("/dev/null", O_RDONLY)) }
        }
        #expect(error?.isShortage == true)
        #expect(SystemError.descriptorShortage()?.isShortage == true)
        var others: [Int32] = []
        while let next = Optional(dup(STDERR_FILENO)), next >= 0 { others.append(next) }
        for descriptor in others { close(descriptor) }
        // All 32, but for those that the process has inherited with such numbers.
        #expect((17...32).contains(others.count) && others.allSatisfy { $0 >= 224 })
        files = []
        #expect(SystemError.descriptorShortage() == nil)
    }
}
