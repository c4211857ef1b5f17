import CalotypeCore
import CalotypePlatform
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct LibvipsTests {
    @Test func `without libvips the error says what to install, and headers are read`() async throws {
        // In a process of its own, where nothing can be mapped any more while libvips is looked for; without files, the
        // error would be another.
        await #expect(processExitsWith: .success) {
            let space = __rlimit_resource_t(RLIMIT_AS.rawValue)
            var limit = rlimit()
            #expect(unsafe getrlimit(space, &limit) == 0)
            var none = rlimit(rlim_cur: 1 << 20, rlim_max: limit.rlim_max)
            #expect(unsafe setrlimit(space, &none) == 0)
            let started = Result { () throws(CalotypeError) in try Libvips.start() }
            #expect(unsafe setrlimit(space, &limit) == 0)
            let error = #expect(throws: CalotypeError.self) { try started.get() }
            #expect(error?.code == .decoderUnavailable)
            #expect(error?.message.contains("libvips42") == true)
            #expect(error?.message.contains("libvips.so.42: ") == true)
            let head = HandMade.pngHead(width: 30, height: 20)
            let facts = try ImageProbe.facts(fromPrefix: head, isComplete: false)
            #expect(facts?.format == .png)
        }
    }

    @Test func `without the trait the error says how to build, and suggests no package`() {
        let error = Libvips.unavailable(.library("it is off"), isIncluded: false)
        #expect(error.code == .decoderUnavailable)
        #expect(error.message.contains("package trait Libvips"))
        #expect(!error.message.contains("apt-get"))
    }
}
