import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import TaskFlowTesting

/// Races that other image pipelines have had, each as a small program; the lists of changes of Nuke 13.1 to 14 name them.
enum KnownRaces {
    private static let url = "http://origin.test/0"
    private static let photo = TrialPictures.photo(0, 0)

    private static func request(_ side: Int = 100, at url: String = url) -> ImageRequest {
        ImageRequest(url, .fit(side, side))
    }

    /// Whether the task was cancelled, or came after the end of its pipeline.
    private static func isCut(_ task: ImageTask<Rendition>) async throws -> Bool {
        do {
            _ = try await task.value
            return false
        } catch is CancellationError {
            return true
        } catch let error as CalotypeError where error.code == .pipelineClosed {
            return true
        }
    }

    /// A response that comes late must not change a task that has ended, nor the memory of a pipeline that has.
    static func lateResponse() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(photo))
        var configuration = TrialPipeline.configuration(transport)
        let events = EventBook()
        events.configure(&configuration)
        let (pipeline, task) = try await withImagePipeline(configuration) { pipeline in
            let task = pipeline.task(for: request())
            let canceller = Task(name: "canceller") { task.cancel() }
            let wasCancelled = try await isCut(task)
            await canceller.value
            sometimes(wasCancelled ? "the cancel comes first" : "the response comes first")
            guard task.isCancelled == wasCancelled, try await isCut(task) == wasCancelled else {
                throw ScheduleError("the task ended twice")
            }
            // The scope ends while this one is under way.
            let other = pipeline.task(for: request(200))
            for _ in 0..<40 { await Task.yield() }
            return (pipeline, other)
        }
        let wasCut = try await isCut(task)
        sometimes(wasCut ? "the end of the scope comes first" : "the other response comes first")
        try events.check()
        guard pipeline.memoryCache.count == 0 else {
            throw ScheduleError("a late response is in the memory of a pipeline that has ended")
        }
    }

    /// A load that is cancelled while its request is prepared must not download anything.
    static func cancelInHook() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(photo))
        var configuration = TrialPipeline.configuration(transport)
        let (entered, isReturning) = (Event(), Guarded(false))
        configuration.prepare = { request in
            entered.signal()
            // A hook that does not heed the cancel.
            for _ in 0..<6 { await Task.yield() }
            isReturning.withLock { $0 = true }
            return request
        }
        try await TrialPipeline.run(configuration, transport) { pipeline in
            let task = pipeline.task(for: request())
            try await entered.wait()
            let isSuspended = isReturning.withLock { !$0 }
            task.cancel()
            sometimes(isSuspended ? "cancelled in the hook" : "cancelled after the hook")
            let wasCancelled = try await isCut(task)
            try await TrialPipeline.expectQuiet(pipeline)
            guard !isSuspended || wasCancelled && transport.statistics.requests == 0 else {
                throw ScheduleError("a load that was cancelled in its hook was sent")
            }
        }
    }

    /// What a prefetcher has not begun when it is told to stop it must never begin.
    static func stopBeforeStart() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(photo))
        let configuration = TrialPipeline.configuration(transport)
        try await TrialPipeline.run(configuration, transport, slowness: 1) { pipeline in
            let urls = (0..<4).map { "http://origin.test/\($0)" }
            let prefetcher = Prefetcher(pipeline.renditionLoader, limit: 2)
            let token = prefetcher.start(urls.map { request(at: $0) })
            let stopper = Task(name: "stopper") {
                for _ in 0..<8 { await Task.yield() }
                let sent = Set(transport.requests.map(\.url.text))
                prefetcher.stop(urls[1...].map { request(at: $0) })
                if prefetcher.waitingCount > 0 { throw ScheduleError("what was stopped waits on") }
                return sent
            }
            let sent = try await stopper.value
            let summary = try await token.summary
            if !sent.contains(urls[1]) { sometimes("stopped before it was sent") }
            try await TrialPipeline.expectQuiet(pipeline)
            let late = Set(transport.requests.map(\.url.text)).subtracting(sent).subtracting([urls[0]])
            guard late.isEmpty else { throw ScheduleError("sent after the stop: \(late.sorted())") }
            guard summary.loaded + summary.stopped == urls.count, summary.loaded >= 1 else {
                throw ScheduleError("the prefetched list ended with \(summary)")
            }
        }
    }

    /// Of priorities that are set one after the other the last must count, also for what waits for a connection.
    static func priorityOrder() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(photo))
        var configuration = TrialPipeline.configuration(transport)
        configuration.connections = 1
        configuration.connectionsPerHost = 1
        let gate = Event()
        try transport.answer(url, with: .bytes(photo).after(.until(gate)))
        try await TrialPipeline.run(configuration, transport) { pipeline in
            let first = pipeline.task(for: request())
            try await transport.waitForRequests(1)
            let tasks = (1...2).map { pipeline.task(for: request(at: "http://origin.test/\($0)")) }
            let changes = Task(name: "changes") {
                for priority in [WorkPriority.veryLow, .high, .low] { tasks[0].priority = priority }
                await Task.yield()
                for priority in [WorkPriority.low, .veryHigh, .high] { tasks[1].priority = priority }
                await Task.yield()
                tasks[0].priority = .normal
            }
            await changes.value
            // Until both wait for the connection.
            try await Task.sleep(for: .milliseconds(1))
            gate.signal()
            for task in [first] + tasks { _ = try await task.value }
            let order = transport.requests.map(\.url.text)
            guard order == [0, 2, 1].map({ "http://origin.test/\($0)" }) else {
                throw ScheduleError("the origin was asked in the order \(order)")
            }
        }
    }

    /// What tells of a load that finds its picture in memory must tell all of it, and end.
    static func eventsOfHit() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(photo))
        var configuration = TrialPipeline.configuration(transport)
        let events = EventBook()
        events.configure(&configuration)
        try await TrialPipeline.run(configuration, transport) { pipeline in
            let first = pipeline.task(for: request())
            let second = pipeline.task(for: request())
            let readers = [first, second].map { task in
                Task(name: "reader") { await task.progress.reduce(into: []) { $0.append($1) } }
            }
            _ = try await first.value
            _ = try await second.value
            let hit = pipeline.task(for: request())
            let early = Task(name: "early reader") {
                await hit.progress.reduce(into: 0) { sum, _ in sum += 1 }
            }
            _ = try await hit.value
            let late = await hit.progress.reduce(into: 0) { sum, _ in sum += 1 }
            guard await early.value == 0, late == 0 else {
                throw ScheduleError("a picture in memory has progress")
            }
            let size = ByteCount(photo.count)
            let all = SourceProgress(received: size, expected: size)
            var hits = 0
            for (task, reader) in zip([first, second], readers) {
                let seen = await reader.value
                let last = await task.progress.reduce(into: []) { $0.append($1) }
                guard last == seen.suffix(1), seen.isEmpty || seen.last == all else {
                    throw ScheduleError("one reader ends with \(seen), one after the end with \(last)")
                }
                if seen.isEmpty { hits += 1 }
            }
            // One hit is the third load.
            guard hits < events.count(.memory) else {
                throw ScheduleError("a load that waits for the source has no progress")
            }
            try events.check()
            if events.count(.shared) == 1 { sometimes("the second load shares the first") }
            if events.count(.memory) == 2 { sometimes("the second load finds the picture") }
            guard events.count(.memory) + events.count(.shared) == 2, events.count(.own) == 1 else {
                throw ScheduleError("the events of three loads: \(events)")
            }
        }
    }

    /// A preview must not be stored as the finished picture, also if its load is cancelled right then.
    static func storedPreview() async throws {
        let answer = ScriptedResponse.bytes(TrialPictures.progressive)
            .inPieces(of: ByteCount(1500), every: .milliseconds(1))
        let transport = ScriptedTransport(otherwise: answer)
        try transport.answer("http://origin.test/reference", with: .bytes(TrialPictures.progressive))
        let configuration = TrialPipeline.configuration(transport)
        try await TrialPipeline.run(configuration, transport) { pipeline in
            let task = pipeline.bitmapTask(for: request(), previews: true)
            for await _ in task.previews {
                sometimes("cancelled with a preview")
                task.cancel()
            }
            let again = try await pipeline.bitmap(for: request())
            let reference = try await pipeline.bitmap(for: request(at: "http://origin.test/reference"))
            guard again == reference else { throw ScheduleError("a preview is stored as the picture") }
        }
    }
}
