// The lab's page shows these functions as they stand here. `load` waits for one image and notes what became of
// it; only a cancellation is thrown, so that a missing image does not end the others.

extension LabAlbum {
    func loadOneByOne() async throws {
        for image in images {
            try await load(image)
        }
    }

    func loadInPairs() async throws {
        for first in images where first.isMultiple(of: 2) {
            async let left: Void = load(first)
            async let right: Void = load(first + 1)
            _ = try await (left, right)
        }
    }

    func loadInBoundedGroup() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for image in images {
                if image >= width { try await group.next() }
                group.addTask { try await self.load(image) }
            }
            try await group.waitForAll()
        }
    }

    func loadInGroup() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for image in images {
                group.addTask { try await self.load(image) }
            }
            try await group.waitForAll()
        }
    }

    func loadInTasks() async throws {
        let tasks = images.map { image in
            Task { try await self.load(image) }
        }
        for task in tasks {
            // Cancelling this function cancels none of them.
            _ = await task.result
        }
    }

    func loadWithCallbacks() async throws {
        await withCheckedContinuation { continuation in
            let rest = Countdown(images.count) { continuation.resume() }
            for image in images {
                // Nobody keeps the token that could cancel it.
                load(image) { rest.countDown() }
            }
        }
    }
}
