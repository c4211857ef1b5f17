import CalotypeCore
import Glibc
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct LibvipsTests {
    @Test func `without libvips the error says what to install, and headers are read`() async throws {
        // In a process of its own, where no file can be opened any more when libvips is looked for.
        await #expect(processExitsWith: .success) {
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
            let error = #expect(throws: CalotypeError.self) { try Libvips.start() }
            #expect(error?.code == .decoderUnavailable)
            #expect(error?.message.contains("libvips42") == true)
            #expect(error?.message.contains("libvips.so.42: cannot open") == true)
            let head = HandMade.pngHead(width: 30, height: 20)
            let facts = try ImageProbe.facts(fromPrefix: head, isComplete: false)
            #expect(facts?.format == .png)
        }
    }
}
