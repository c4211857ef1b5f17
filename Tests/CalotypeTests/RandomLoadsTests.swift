import CalotypeCore
import CalotypeHTTP
import CalotypeSamplePictures
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Loads that come, go, change and fail in any order, against a plain list of who waits for what.
@Suite(.timeLimit(.minutes(2)))
struct RandomLoadsTests {
    /// What a load waits for while nothing of it is there.
    private struct Source: Hashable {
        let name: String
        let policy: CachePolicy
        let partition: String?
    }

    private struct Load {
        let source: Source
        let side: Int
        let priority: LivePriority
        let task: Task<Int, any Error>
        let ended: Event
        var isCancelled = false
    }

    private struct Run {
        let fixture: PipelineFixture
        var random: SeededRandom
        var loads: [Load] = []

        var waiting: [Int] { loads.indices.filter { !loads[$0].ended.hasHappened } }

        mutating func pick<Element>(_ choices: [Element]) -> Element {
            choices[Int.random(in: choices.indices, using: &random)]
        }

        mutating func begin() {
            let source = Source(
                name: pick(["1.jpg", "2.jpg", "fails.jpg"]),
                policy: pick([.use, .use, .noStore, .reload]),
                partition: pick([nil, nil, "a"])
            )
            var request = fixture.request(source.name, pick([8, 16, 32]))
            request.cachePolicy = source.policy
            request.partition = source.partition
            let (load, isBitmap) = (request, Bool.random(using: &random))
            let (priority, ended) = (LivePriority(pick(WorkPriority.allCases)), Event())
            let task = fixture.create { pipeline in
                defer { ended.signal() }
                if isBitmap { return try await pipeline.bitmap(for: load, priority: priority).size.width }
                return try await pipeline.load(load, priority: priority).size.width
            }
            loads.append(
                Load(
                    source: source,
                    side: load.transform.box.width,
                    priority: priority,
                    task: task,
                    ended: ended
                )
            )
        }

        mutating func step() {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: begin()
            case 4, 5:
                guard let index = waiting.randomElement(using: &random) else { return }
                loads[index].isCancelled = true
                loads[index].task.cancel()
            case 6:
                guard let index = waiting.randomElement(using: &random) else { return }
                loads[index].priority.set(pick(WorkPriority.allCases))
            case 7: fixture.clock.advance(by: .milliseconds(Int.random(in: 1...600, using: &random)))
            default: fixture.settle(Int.random(in: 1...12, using: &random), using: &random)
            }
        }

        /// Once all has gone on as far as it can, each source that somebody waits for is asked for once, and no other.
        func check() {
            fixture.settle()
            let wanted = Set(waiting.map { loads[$0].source })
            #expect(fixture.origin.statistics.open == wanted.count)
            #expect(!waiting.contains { loads[$0].isCancelled })
        }

        func finish() async {
            while fixture.clock.advanceToNextSleeper() { fixture.settle() }
            for load in loads {
                #expect(load.ended.hasHappened)
                switch await load.task.result {
                case .success(let width): #expect(width == load.side)
                case .failure(is CancellationError): #expect(load.isCancelled)
                case .failure(let error as CalotypeError): #expect(error.code == .http(status: 503))
                case .failure(let error): Issue.record(error)
                }
            }
            for load in 1...UInt64(loads.count) {
                let kinds = fixture.kinds(of: load)
                #expect(kinds.first == .started && kinds.count(where: \.isEnd) == 1)
            }
        }
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `in any order each load ends as it should, and nothing is requested twice`(
        seed: UInt64
    ) async throws {
        try await PipelineFixture.open {
            $0.connectionsPerHost = 64
        } _: { fixture in
            let requests = Guarded(0)
            fixture.origin.answer { request in
                let number = requests.withLock { count in
                    count += 1
                    return count
                }
                let fails = request.url.text.hasSuffix("fails.jpg") && number % 2 == 0
                // One version all the time, known from the start: who asks after a reload has brought another does not wait for
                // what began before it.
                let photo = ScriptedResponse(
                    headers: ["ETag": "\"1\""],
                    body: [.bytes(PipelineFixture.photo)]
                )
                let answer: ScriptedResponse = fails ? .status(503) : photo
                return answer.after(.pause(.milliseconds(100 + number % 7 * 100)))
            }
            for name in ["1.jpg", "2.jpg", "fails.jpg"] {
                for partition in [nil, "a"] {
                    var request = fixture.request(name)
                    (request.cachePolicy, request.partition) = (.reload, partition)
                    var problem: String?
                    repeat {
                        let load = fixture.ask(request)
                        while fixture.clock.advanceToNextSleeper() { fixture.settle() }
                        problem = await code(of: load)
                    } while problem == ErrorCode.http(status: 503).rawValue
                    #expect(problem == nil)
                }
            }
            var run = Run(fixture: fixture, random: SeededRandom(seed: seed))
            for index in 1...300 {
                run.step()
                if index % 10 == 0 { run.check() }
            }
            run.check()
            await run.finish()
        }
    }
}
