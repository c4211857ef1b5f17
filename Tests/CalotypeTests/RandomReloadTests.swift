import CalotypeCore
import CalotypeHTTP
import CalotypePlatform
import CalotypeSamplePictures
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Loads, reloads and removals of pictures that change, in any order over a slow store, against the origin's history.
@Suite(.timeLimit(.minutes(5)))
struct RandomReloadTests {
    /// A picture's version shows in its width.
    private static func photo(_ version: Int) -> [UInt8] {
        photos[version]
    }

    /// As many runs as `script/soak reload` asks for.
    static let seeds =
        unsafe getenv("CALOTYPE_RELOAD_SEEDS").flatMap { unsafe UInt64(String(cString: $0)) } ?? 150

    private static let photos = (0...60).map { TinyPicture.jpeg(PixelSize(width: 16 + $0, height: 8)) }

    private struct Load {
        let name: String
        /// The newest version that a reload had shown, or a removal had made room for, when this load began.
        let floor: Int
        let isReload: Bool
        let task: Task<Int, any Error>
        let ended: Event
        var isSettled = false
    }

    /// A removal of sources from the caches.
    private struct Removal {
        let names: [String]
        let task: Task<[String: Int], any Error>
        let ended: Event
    }

    private struct Run {
        let fixture: PipelineFixture
        let history: Guarded<[String: Int]>
        var random: SeededRandom
        var floors: [String: Int] = [:]
        var loads: [Load] = []
        var removals: [Removal] = []

        mutating func pick<Element>(_ choices: [Element]) -> Element {
            choices[Int.random(in: choices.indices, using: &random)]
        }

        mutating func begin() {
            let name = pick(["1.jpg", "2.jpg"])
            var request = fixture.request(name, pick([2, 4, 8]))
            request.cachePolicy = pick([.use, .use, .use, .reload, .noStore, .immutable])
            if Int.random(in: 0..<4, using: &random) == 0 { request.limits.sourceBytes = .mebibytes(1) }
            let (load, wantsData, ended) = (request, Int.random(in: 0..<5, using: &random) == 0, Event())
            let task = fixture.create { pipeline in
                defer { ended.signal() }
                if wantsData {
                    return try await pipeline.data(for: load).facts?.storedSize.width ?? 0
                }
                return try await pipeline.rendition(for: load).source.storedSize.width
            }
            loads.append(
                Load(
                    name: name,
                    floor: floors[name] ?? 0,
                    isReload: request.cachePolicy == .reload,
                    task: task,
                    ended: ended
                )
            )
        }

        /// After it, loads show nothing older than what the origin had when it began.
        mutating func remove() {
            let names = ["1.jpg", "2.jpg"]
            let (name, scope, ended) = (pick(names), Int.random(in: 0..<4, using: &random), Event())
            let source = fixture.request(name)
            let task = fixture.create { [history] pipeline in
                defer { ended.signal() }
                let newest = history.withLock { $0 }
                switch scope {
                case 0: try await pipeline.cache.removeAll()
                case 1: try await pipeline.cache.removeAll(in: nil)
                default: try await pipeline.cache.removeSource(of: source)
                }
                return newest
            }
            removals.append(Removal(names: scope < 2 ? names : [name], task: task, ended: ended))
        }

        mutating func step() async {
            switch Int.random(in: 0..<13, using: &random) {
            case 12: remove()
            case 0..<4: begin()
            case 4:
                let name = pick(["1.jpg", "2.jpg"])
                history.withLock { $0[name] = min(($0[name] ?? 0) + 1, 60) }
            case 5 where Int.random(in: 0..<4, using: &random) == 0:
                removals.filter { !$0.ended.hasHappened }.randomElement(using: &random)?.task.cancel()
            case 5:
                let waiting = loads.filter { !$0.ended.hasHappened }
                waiting.randomElement(using: &random)?.task.cancel()
            case 6, 7: fixture.clock.advance(by: .milliseconds(Int.random(in: 1...300, using: &random)))
            default: fixture.settle(Int.random(in: 1...20, using: &random), using: &random)
            }
            await look()
        }

        /// Looks at the loads that have ended; what a reload has shown is the least that later loads may show.
        mutating func look() async {
            for removal in removals where removal.ended.hasHappened {
                // One that failed or was cancelled promises nothing.
                guard case .success(let newest) = await removal.task.result else { continue }
                for name in removal.names { floors[name] = max(floors[name] ?? 0, newest[name] ?? 0) }
            }
            removals.removeAll { $0.ended.hasHappened }
            for index in loads.indices where loads[index].ended.hasHappened && !loads[index].isSettled {
                loads[index].isSettled = true
                let load = loads[index]
                guard case .success(let width) = await load.task.result else { continue }
                let version = width - 16
                #expect(version >= load.floor, "load \(index) of \(load.name) shows an old version")
                if load.isReload { floors[load.name] = max(floors[load.name] ?? 0, version) }
            }
        }

        mutating func finish() async {
            fixture.settle()
            while fixture.clock.advanceToNextSleeper() { fixture.settle() }
            await look()
            #expect(!loads.contains { !$0.isSettled } && removals.isEmpty)
        }
    }

    @Test(arguments: 0..<seeds)
    func `no load shows a version older than one that a reload had shown or a removal had found`(
        seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let contents: StoredContents =
            [[], [.sources], [.renditions], [.sources, .renditions]]
            .randomElement(using: &random) ?? []
        let memory: MemoryCacheLimits = Bool.random(using: &random) ? MemoryCacheLimits() : .none
        let hasValidators = Int.random(in: 0..<4, using: &random) > 0
        let (time, store) = (ManualClock(), Guarded<FlakyStore?>(nil))
        try await PipelineFixture.open(clock: time) {
            let made = FlakyStore(
                seed: seed,
                clock: time,
                failures: [0, 0, 5, 30].randomElement(using: &random) ?? 0,
                takesEntries: Int.random(in: 0..<8, using: &random) > 0
            )
            store.withLock { $0 = made }
            $0.store = made
            $0.stores = contents
            $0.memoryCache = memory
        } _: { fixture in
            let history = Guarded<[String: Int]>([:])
            let pauses = Guarded(SeededRandom(seed: seed + 1_000))
            fixture.origin.answer { request in
                let version = history.withLock { $0[String(request.url.text.suffix(5))] ?? 0 }
                let pause = pauses.withLock { Int.random(in: 0...400, using: &$0) }
                let tag = hasValidators ? ["\"\(version)\""] : []
                return Self.answer(version, tag, request).after(.pause(.milliseconds(pause)))
            }
            var run = Run(fixture: fixture, history: history, random: random)
            for _ in 1...150 { await run.step() }
            await run.finish()
        }
    }

    private static func answer(_ version: Int, _ tags: [String], _ request: HTTPRequest) -> ScriptedResponse {
        guard let tag = tags.first else {
            return DocumentFixture.photo(["Cache-Control": "max-age=3600"], photo(version))
        }
        if request.headers["If-None-Match"] == tag {
            return .status(304, headers: ["Cache-Control": "max-age=3600", "ETag": tag])
        }
        return DocumentFixture.photo(["Cache-Control": "max-age=3600", "ETag": tag], photo(version))
    }
}
