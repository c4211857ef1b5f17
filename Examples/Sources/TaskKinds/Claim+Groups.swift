import CalotypeTestKit

extension Claim {
    static let groups = [
        Claim(
            "A group waits for its children when its body returns.",
            shows: "body returned, child ended, group returned"
        ) {
            let journal = Journal()
            let bodyReturned = Event()
            await withTaskGroup { group in
                group.addTask {
                    // Nobody cancels it.
                    try? await bodyReturned.wait()
                    journal.record("child ended")
                }
                journal.record("body returned")
                bodyReturned.signal()
            }
            journal.record("group returned")
            return journal.text
        },
        Claim(
            "A group cancels its children and awaits them when its body throws.",
            shows: "body threw, child cancelled, group threw Mishap"
        ) {
            let journal = Journal()
            do {
                try await withThrowingTaskGroup { group in
                    group.addTask { await journal.noteCancellation(of: "child") }
                    journal.record("body threw")
                    throw Mishap()
                }
            } catch {
                journal.record("group threw \(type(of: error))")
            }
            return journal.text
        },
        Claim(
            "A group ignores a child's error that nobody awaited.",
            shows: "child threw, group returned"
        ) {
            let journal = Journal()
            await withThrowingTaskGroup { group in
                group.addTask {
                    journal.record("child threw")
                    throw Mishap()
                }
            }
            journal.record("group returned")
            return journal.text
        },
        Claim(
            "A discarding group does not ignore it: the first error cancels the others and is thrown.",
            shows: "other child cancelled, group threw Mishap"
        ) {
            let journal = Journal()
            do {
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask { await journal.noteCancellation(of: "other child") }
                    group.addTask { throw Mishap() }
                }
            } catch {
                journal.record("group threw \(type(of: error))")
            }
            return journal.text
        },
        Claim(
            "waitForAll lets all children end, then throws the first error.",
            shows: "first child threw, second child ended, waitForAll threw Mishap"
        ) {
            let journal = Journal()
            let firstThrew = Event()
            await withThrowingTaskGroup { group in
                group.addTask {
                    journal.record("first child threw")
                    firstThrew.signal()
                    throw Mishap()
                }
                group.addTask {
                    try await firstThrew.wait()
                    // Gives the error time to arrive; a cancellation would be seen here.
                    for _ in 0..<100 { await Task.yield() }
                    journal.record("second child \(Task.isCancelled ? "was cancelled" : "ended")")
                }
                do {
                    try await group.waitForAll()
                } catch {
                    journal.record("waitForAll threw \(type(of: error))")
                }
            }
            return journal.text
        },
        Claim(
            "cancelAll cancels the children, not the task that called it.",
            shows: "child cancelled, caller is cancelled: false"
        ) {
            let journal = Journal()
            await withTaskGroup { group in
                group.addTask { await journal.noteCancellation(of: "child") }
                group.cancelAll()
                await group.waitForAll()
                journal.record("caller is cancelled: \(Task.isCancelled)")
            }
            return journal.text
        },
        Claim(
            "After cancelAll, addTask starts children that are already cancelled; addTaskUnlessCancelled starts none.",
            shows: "started: false, child is cancelled: true"
        ) {
            let journal = Journal()
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                let isStarted = group.addTaskUnlessCancelled { journal.record("this is never seen") }
                journal.record("started: \(isStarted)")
                group.addTask { journal.record("child is cancelled: \(Task.isCancelled)") }
            }
            return journal.text
        },
        Claim(
            "A child has the priority and the task-local values of its parent, and is cancelled with it.",
            shows: "utility priority, album 7, is cancelled: true"
        ) {
            let parent = Task(priority: .utility) {
                await Album.$number.withValue(7) {
                    await withTaskGroup(of: String.self) { group in
                        group.addTask {
                            // Ends at the cancellation.
                            try? await Event().wait()
                            return Surroundings.text(isCancelled: Task.isCancelled)
                        }
                        return await group.next() ?? ""
                    }
                }
            }
            parent.cancel()
            return await parent.value
        },
    ]
}
