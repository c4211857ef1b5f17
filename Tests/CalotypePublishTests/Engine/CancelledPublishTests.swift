import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct CancelledPublishTests {
    @Test func `a cancel stops the sockets, and removes what is up before it returns`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 2)
            // The first medium comes whole, the second stands still.
            let destination = try publishing.inbox(media: "stall@-1-")
            let progress = PublishProgress(interval: .zero)
            let task = Task {
                try await publishing.publisher.publish(post, to: destination, progress: progress)
            }
            for await state in progress where state.items.map(\.stage).first == .ready { break }
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            #expect(progress.current.stage == .cancelled)
            let received = publishing.origin.received
            #expect(received.posts.isEmpty)
            #expect(received.media.filter { $0.puts > 0 }.map(\.deleted) == [true])
            let record = try await publishing.record()
            #expect(record?.state == .cancelled)
            #expect(record?.hasLeftovers == false)
        }
    }

    @Test func `what cannot be removed in time stays in the journal, and goes later`() async throws {
        let isBroken = Guarded(true)
        try await withPublishing { configuration in
            configuration.cleanupTime = .milliseconds(50)
        } _: { publishing in
            let (began, stop) = (Event(), Event())
            var destination = ScriptedDestination()
            destination.onUpload = { medium, _, _ in
                guard medium.position > 0 else { return }
                began.signal()
                try await stop.wait()
            }
            destination.onDiscard = { _ in
                if isBroken.withLock(\.self) { try await stop.wait() }
            }
            let post = try publishing.post(pictures: 2)
            let task = Task { [destination] in try await publishing.publisher.publish(post, to: destination) }
            try await began.wait()
            task.cancel()
            _ = await task.result
            let record = try await publishing.record()
            #expect(record?.state == .cancelled)
            #expect(record?.hasLeftovers == true)
            isBroken.withLock { $0 = false }
            let removals = try await publishing.publisher.removeLeftovers { _ in destination }
            #expect(removals.map(\.problem) == [nil])
            let after = try await publishing.record()
            #expect(after?.hasLeftovers == false)
            let again = try await publishing.publisher.removeLeftovers { _ in destination }
            #expect(again.isEmpty)
        }
    }

    @Test func `a cancel while the post is sent leaves it open, and removes nothing`() async throws {
        try await withPublishing { publishing in
            let (began, stop) = (Event(), Event())
            var destination = ScriptedDestination()
            destination.onPublish = { _, _, attempt in
                guard attempt == 1 else { return }
                began.signal()
                try await stop.wait()
            }
            let post = try publishing.post(pictures: 1)
            let progress = PublishProgress(interval: .zero)
            let task = Task { [destination] in
                try await publishing.publisher.publish(post, to: destination, progress: progress)
            }
            try await began.wait()
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            #expect(progress.current.stage == .unknown)
            #expect(destination.discarded.count == 0)
            let refused = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(refused == .publishUnfinished)
            let removals = try await publishing.publisher.removeLeftovers(includingUnfinished: true) { _ in
                destination
            }
            #expect(removals.isEmpty)
            let told = Guarded(false)
            destination.onPublish = { _, session, _ in told.withLock { $0 = session.mayHaveBeenSent } }
            _ = try await publishing.publisher.publish(post, to: destination, .resume)
            let mayHaveBeenSent = told.withLock { $0 }
            #expect(mayHaveBeenSent)
        }
    }

    @Test func `what was published meanwhile is not removed`() async throws {
        try await withPublishing { publishing in
            let failing = ScriptedDestination(
                width: 1,
                onUpload: { medium, _, _ in
                    if medium.position == 1 { throw ScriptedDestination.failure(.none) }
                }
            )
            let publisher = publishing.publisher
            let (first, second) = (try publishing.post("First"), try publishing.post("Second"))
            for post in [first, second] { _ = await code { try await publisher.publish(post, to: failing) } }
            let good = ScriptedDestination()
            // The newest comes first; while its server is asked, somebody resumes the other.
            let slow = ScriptedDestination(onDiscard: { _ in
                _ = try await publisher.publish(first, to: good, .resume)
            })
            var asked = 0
            _ = try await publisher.removeLeftovers(includingUnfinished: true) { _ in
                asked += 1
                return slow
            }
            #expect(asked == 1)
            let states = try await publisher.journal.publications().map(\.state)
            #expect(states == [.cancelled, .posted])
        }
    }

    /// Publishes a picture, and cancels while it is sent.
    private func cancel(_ destination: ScriptedDestination, _ publishing: Publishing) async throws {
        let (began, stop) = (Event(), Event())
        var destination = destination
        destination.onUpload = { _, _, _ in
            began.signal()
            try await stop.wait()
        }
        let post = try publishing.post(pictures: 1)
        let task = Task { [destination] in try await publishing.publisher.publish(post, to: destination) }
        try await began.wait()
        task.cancel()
        _ = await task.result
    }

    @Test func `what the server stores after it was asked to remove it is removed too`() async throws {
        try await withPublishing { publishing in
            let isStored = Guarded<[Bool]>([])
            let destination = ScriptedDestination(onDiscard: { _ in
                // The request that was cut is carried out behind the first one that removes.
                isStored.withLock { $0.append($0.isEmpty) }
            })
            try await cancel(destination, publishing)
            #expect(isStored.withLock(\.self) == [true, false])
            let record = try await publishing.record()
            #expect(record?.state == .cancelled && record?.hasLeftovers == false)
            #expect(record?.problem == PublicationRecord.cancelled)
        }
    }

    @Test func `what a second attempt brought up is looked for twice: the first may still be carried out`()
        async throws
    {
        try await withPublishing { publishing in
            let began = Event()
            let destination = ScriptedDestination(
                width: 1,
                onUpload: { medium, session, attempt in
                    if medium.position == 0, attempt == 1 { throw ScriptedDestination.failure(.retry) }
                    guard medium.position > 0 else { return }
                    began.signal()
                    try await session.sleep(for: .seconds(60))
                }
            )
            let post = try publishing.post(pictures: 2)
            let task = Task { try await publishing.publisher.publish(post, to: destination) }
            try await began.wait()
            task.cancel()
            _ = await task.result
            let first = try RememberedState(["id": "0"])
            #expect(destination.discarded.values.count { $0 == first } == 2)
            let record = try await publishing.record()
            #expect(record?.state == .cancelled && record?.hasLeftovers == false)
        }
    }

    @Test func `what a resume brought up is looked for twice: the earlier run may have left a request`()
        async throws
    {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 2)
            let failing = ScriptedDestination(
                width: 1,
                onUpload: { _, _, _ in throw ScriptedDestination.failure(.none) }
            )
            _ = await code { try await publishing.publisher.publish(post, to: failing) }
            let began = Event()
            let destination = ScriptedDestination(
                width: 1,
                onUpload: { medium, session, _ in
                    guard medium.position > 0 else { return }
                    began.signal()
                    try await session.sleep(for: .seconds(60))
                }
            )
            let task = Task { try await publishing.publisher.publish(post, to: destination, .resume) }
            try await began.wait()
            task.cancel()
            _ = await task.result
            let first = try RememberedState(["id": "0"])
            #expect(destination.discarded.values.count { $0 == first } == 2)
        }
    }

    @Test func `a destination that waits for it itself is asked once`() async throws {
        try await withPublishing { publishing in
            let destination = ScriptedDestination(awaitsCutUploads: true)
            try await cancel(destination, publishing)
            #expect(destination.discarded.count == 1)
            let record = try await publishing.record()
            #expect(record?.state == .cancelled && record?.hasLeftovers == false)
        }
    }

    @Test func `what was cut stays in the journal until it was looked for after a pause`() async throws {
        let clock = ManualClock()
        try await withPublishing { configuration in
            configuration.clock = clock
            configuration.settlingTime = .seconds(3)
        } _: { publishing in
            let destination = ScriptedDestination()
            async let cancelled: Void = cancel(destination, publishing)
            // The limit of the removal's time, and the pause.
            try await clock.waitForSleepers(2)
            #expect(destination.discarded.count == 1)
            let during = try await publishing.record()
            #expect(during?.state == .cancelled && during?.hasLeftovers == true)
            clock.advance(by: .seconds(3))
            try await cancelled
            #expect(destination.discarded.count == 2)
            let after = try await publishing.record()
            #expect(after?.hasLeftovers == false)
        }
    }

    @Test func `what was cut, and could not be looked for, is looked for twice later`() async throws {
        try await withPublishing { configuration in
            configuration.cleanupTime = .milliseconds(1)
        } _: { publishing in
            let silent = ScriptedDestination(onDiscard: { _ in try await Event().wait() })
            for _ in 0..<2 { try await cancel(silent, publishing) }
            let left = try await publishing.publisher.journal.publications().map(\.hasLeftovers)
            #expect(left == [true, true])
            let later = ScriptedDestination()
            let removals = try await publishing.publisher.removeLeftovers { _ in later }
            #expect(removals.map(\.problem) == [nil, nil])
            #expect(later.discarded.count == 4)
            let after = try await publishing.publisher.journal.publications().map(\.hasLeftovers)
            #expect(after == [false, false])
        }
    }

    @Test func `media that a server cannot remove are reported`() async throws {
        try await withPublishing { publishing in
            try await cancel(ScriptedDestination(removes: .kept), publishing)
            let record = try await publishing.record()
            #expect(record?.hasLeftovers == false)
            #expect(record?.problem == "this server cannot delete picture-0.png")
            let failing = ScriptedDestination(onPublish: { _, _, _ in
                throw ScriptedDestination.failure(.none)
            })
            let publisher = publishing.publisher
            _ = await code {
                try await publisher.publish(try publishing.post("Other", pictures: 1), to: failing)
            }
            let removals = try await publisher.removeLeftovers(includingUnfinished: true) { _ in
                ScriptedDestination(removes: .kept)
            }
            #expect(removals.map(\.kept) == [["picture-0.png"]])
        }
    }

    @Test func `a cancelled publication starts over`() async throws {
        try await withPublishing { publishing in
            let began = Event()
            var destination = ScriptedDestination()
            destination.onUpload = { _, session, _ in
                began.signal()
                try await session.sleep(for: .seconds(60))
            }
            let post = try publishing.post(pictures: 1)
            let task = Task { [destination] in try await publishing.publisher.publish(post, to: destination) }
            try await began.wait()
            task.cancel()
            _ = await task.result
            let second = ScriptedDestination()
            _ = try await publishing.publisher.publish(post, to: second)
            #expect(second.uploads.count == 1)
        }
    }
}
