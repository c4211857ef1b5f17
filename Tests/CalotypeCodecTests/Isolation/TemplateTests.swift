import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeCodec

/// The process of which workers are forked, and what becomes of them and of it.
@Suite(.timeLimit(.minutes(2)))
struct TemplateTests {
    private let png: [UInt8]

    init() async throws {
        png = try await withImageCodec { try await $0.encode(fourCorners(64, 64), as: .png) }
    }

    @Test func `workers that are killed are replaced by forks of one template`() async throws {
        try await TestWorker.withCodec { codec in
            for _ in 0..<10 {
                _ = try await codec.picture(.small, of: png)
                let workers = TestWorker.workers()
                #expect(!workers.isEmpty)
                for worker in workers { kill(worker, SIGKILL) }
            }
            _ = try await codec.picture(.small, of: png)
            #expect(codec.templatesStarted == 1)
            #expect(codec.workersStarted > 10)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `a template that is killed is replaced before anybody asks`() async throws {
        try await TestWorker.withCodec { codec in
            for round in 1...3 {
                _ = try await codec.picture(.small, of: png)
                #expect(codec.templatesStarted == round)
                let template = try #require(TestWorker.templates().first)
                kill(template, SIGKILL)
                while TestWorker.templates().allSatisfy({ $0 == template }) { await Task.yield() }
            }
            _ = try await codec.picture(.small, of: png)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `after all processes are killed together, the next picture loads`() async throws {
        try await TestWorker.withCodec(TestWorker.configuration(threads: 4)) { codec in
            for _ in 0..<10 {
                _ = try await codec.picture(.small, of: png)
                for process in TestWorker.processes() { kill(process, SIGKILL) }
            }
            _ = try await codec.picture(.small, of: png)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `a template that is killed before it has forked fails running jobs, but not waiting ones`()
        async throws
    {
        var configuration = TestWorker.configuration()
        configuration.workers.spares = 0
        try await TestWorker.withCodec(configuration) { codec in
            _ = try await codec.picture(.small, of: png)
            let template = try #require(TestWorker.templates().first)
            let worker = try #require(TestWorker.workers().first)
            let before = TestWorker.ticks(of: worker)
            kill(template, SIGSTOP)
            let atWork = Task {
                await code { _ = try await codec.picture(.failing(.computesForEver), of: png) }
            }
            while TestWorker.ticks(of: worker) < before + 3 { await Task.yield() }
            let waiting = Task { try await codec.picture(.small, of: png) }
            while codec.workersStarted < 2 { await Task.yield() }
            kill(template, SIGKILL)
            #expect(await atWork.value == .decoderCrashed)
            let made = try await waiting.value
            #expect(made.size.width == 16)
            #expect(codec.templatesStarted == 2)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `a template that does not respond is ended with the codec`() async throws {
        try await TestWorker.withCodec { codec in
            _ = try await codec.picture(.small, of: png)
            for template in TestWorker.templates() { kill(template, SIGSTOP) }
        }
        #expect(TestWorker.processes().isEmpty)
    }

    /// Not those of a fault, which the address sanitizer turns into a status.
    @Test(arguments: [(SIGABRT, "SIGABRT"), (SIGSYS, "SIGSYS"), (SIGKILL, "SIGKILL"), (SIGXCPU, "SIGXCPU")])
    func `the error names the signal that killed the worker`(_ signal: Int32, _ name: String) async throws {
        var configuration = TestWorker.configuration()
        configuration.workers.spares = 0
        try await TestWorker.withCodec(configuration) { codec in
            _ = try await codec.picture(.small, of: png)
            let worker = try #require(TestWorker.workers().first)
            let before = TestWorker.ticks(of: worker)
            let work = Task { try await codec.picture(.failing(.computesForEver), of: png) }
            while TestWorker.ticks(of: worker) < before + 3 { await Task.yield() }
            kill(worker, signal)
            do {
                _ = try await work.value
                Issue.record("a picture was made")
            } catch let error as CalotypeError {
                #expect(error.code == .decoderCrashed)
                #expect(error.message.contains(name), "\(error.message)")
            }
        }
    }

    /// Whether a descriptor is that of a font, which the template keeps open for its workers, from 64 on.
    private static func isFont(_ descriptor: (key: Int, value: String)) -> Bool {
        descriptor.key >= 64
            && [".ttf", ".otf", ".ttc", ".pfb", ".gz"].contains { ending in
                descriptor.value.hasPrefix("/") && descriptor.value.hasSuffix(ending)
            }
    }

    @Test func `a worker has its own socket and memory, the fonts, and nothing of others`() async throws {
        // In its sandbox, only root could see what a worker has open.
        var configuration = TestWorker.configuration(threads: 4, program: ["unconfined"])
        configuration.workers.kept = 4
        try await TestWorker.withCodec(configuration) { codec in
            while codec.workersReady < 4 { await Task.yield() }
            let open = TestWorker.workers().map(TestWorker.descriptors)
            #expect(open.count == 4)
            for descriptors in open {
                #expect(descriptors.keys.filter { $0 < 5 }.sorted() == [0, 1, 2, 3, 4])
                // A sanitizer reports on standard error.
                for standard in SandboxTests.hasFilter ? [0, 1, 2] : [0, 1] {
                    #expect(descriptors[standard] == "/dev/null")
                }
                #expect(
                    descriptors.allSatisfy { $0.key < 5 || $0.value.hasSuffix("/statm") || Self.isFont($0) }
                )
                #expect(descriptors[3]?.hasPrefix("socket:") == true)
                #expect(descriptors[4]?.contains("memfd:") == true)
            }
            #expect(Set(open.compactMap { $0[3] }).count == 4)
            let template = try #require(TestWorker.templates().first)
            var its: [Int: String] = [:]
            // What came for the last one is given back when it has been forked.
            repeat {
                try Task.checkCancellation()
                its = TestWorker.descriptors(template).filter { !Self.isFont($0) }
            } while its.count > 10
            // Its own socket and one for each worker, and none of the workers' own.
            #expect(its.values.filter { $0.hasPrefix("socket:") }.count == 5)
            #expect(Set(its.values).isDisjoint(with: open.compactMap { $0[3] }))
            #expect(its.count == 5 + 5)
        }
    }

    @Test func `a worker is the first to go when memory runs out, and the template is not`() async throws {
        try await TestWorker.withCodec { codec in
            _ = try await codec.picture(.small, of: png)
            let template = try #require(TestWorker.templates().first)
            let victims = TestWorker.workers().filter {
                TestWorker.text("/proc/\($0)/oom_score_adj") == "500"
            }
            #expect(!victims.isEmpty)
            let own = TestWorker.text("/proc/self/oom_score_adj")
            #expect(TestWorker.text("/proc/\(template)/oom_score_adj") == own)
            #expect(TestWorker.text("/proc/\(template)/comm") == "decode-template")
            for worker in TestWorker.workers() {
                // One may have been forked just now.
                while TestWorker.text("/proc/\(worker)/comm") != "decode-worker" { await Task.yield() }
                #expect(getpgid(worker) == template)
            }
            #expect(getpgid(template) != getpgrp())
        }
    }

    #if !TSAN
    @Test func `a template has one thread and no memory that it would share with what it forks`() async throws
    {
        try await TestWorker.withCodec { codec in
            _ = try await codec.picture(.small, of: png)
            let template = try #require(TestWorker.templates().first)
            #expect(TestWorker.threads(of: template) == 1)
            let maps = TestWorker.text("/proc/\(template)/maps", keepsLines: true).split(separator: "\n")
            #expect(maps.count > 10)
            #expect(maps.allSatisfy { !$0.contains("rw-s") })
        }
    }
    #endif

    @Test func `a program with its own threads is not forked, and its workers still work`() async throws {
        try await TestWorker.withCodec(TestWorker.configuration(program: ["with-a-thread"])) { codec in
            for fault in [TestWorker.Fault.aborts, .exits] {
                let failed = await code { _ = try await codec.picture(.failing(fault), of: png) }
                #expect(failed == .decoderCrashed)
                let made = try await codec.picture(.small, of: png)
                #expect(made.size.width == 16)
                for worker in TestWorker.workers() { kill(worker, SIGKILL) }
            }
            _ = try await codec.picture(.small, of: png)
            // One may have been started just now.
            #expect(TestWorker.workers().contains { TestWorker.threads(of: $0) > 1 })
            #expect(codec.templatesStarted == 1)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `nothing is started where the fast path does all`() async throws {
        try await TestWorker.withCodec(TestWorker.configuration(.slow)) { codec in
            _ = try await codec.picture(.small, of: png)
            #expect(codec.templatesStarted == 0)
            #expect(TestWorker.processes().isEmpty)
        }
    }

    @Test func `the record of an end is read as it was written`() throws {
        let ends: [WorkerEnd] = [
            .signal(SIGSEGV), .status(0), .status(255), .unstarted(EAGAIN), .unstarted(-1), .orphaned,
        ]
        for end in ends {
            let message = try WorkerMessage(WorkerMessage.ended(end).words)
            #expect(message == .ended(end))
        }
        #expect(throws: SystemError.self) { try WorkerMessage([6, 0, 4, 0]) }
        #expect(throws: SystemError.self) { try WorkerMessage([6, 0, 0, 1 << 40]) }
    }
}
