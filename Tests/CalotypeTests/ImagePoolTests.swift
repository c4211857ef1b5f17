import Calotype
import CalotypeCore
import CalotypeOrigin
import CalotypeSamplePictures
import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ImagePoolTests {
    @Test func `asked while it fills, it waits for the first picture, then gives what is there`() async throws
    {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let pool = pool(pictures, scope, ["a", "b", "c"])
            #expect(pictures.begun.count == 0)
            async let first = pool.randomPicture()
            try await pictures.begun.wait(count: 3)
            pictures.finish("b")
            let picture = try await first
            #expect(picture == "b")
            for _ in 0..<5 {
                let again = try await pool.randomPicture()
                #expect(again == "b")
            }
            #expect(pool.isFilling)
            pictures.finishAll()
            await scope.end(.drain)
            #expect(!pool.isFilling)
            #expect(pool.count == 3)
            let late = try await pool.randomPicture()
            #expect(["a", "b", "c"].contains(late))
        }
        #expect(pictures.begun.count == 3)
    }

    @Test func `a hundred callers share one preload and one wait`() async throws {
        let pictures = ScriptedPictures()
        let got = try await withTaskScope { scope in
            let pool = pool(pictures, scope, ["a", "b"])
            return try await withThrowingTaskGroup { group in
                for _ in 0..<100 { group.addTask { try await pool.randomPicture() } }
                try await pictures.begun.wait(count: 2)
                pictures.finish("a")
                var got: [String] = []
                for try await picture in group { got.append(picture) }
                return got
            }
        }
        #expect(got == Array(repeating: "a", count: 100))
        #expect(pictures.begun.count == 2)
    }

    @Test func `the choice is the given generator's`() async throws {
        let names = (0..<10).map { "\($0)" }
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let pool = ImagePool(
                pictures.loader(scope),
                of: names.map { ImageRequest($0) },
                limit: 1,
                random: SeededRandom(seed: 7)
            )
            pool.preload()
            for count in 1...10 {
                try await pictures.begun.wait(count: count)
                pictures.finish(names[count - 1])
            }
            await scope.end(.drain)
            var random = SeededRandom(seed: 7)
            for _ in 0..<50 {
                let picture = try await pool.randomPicture()
                #expect(picture == names.randomElement(using: &random))
            }
        }
    }

    @Test func `a few load at a time`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let requests = (0..<20).map { ImageRequest("\($0)") }
            let pool = ImagePool(pictures.loader(scope), of: requests, limit: 3)
            pool.preload()
            for count in 1...20 {
                try await pictures.begun.wait(count: count)
                // Loads that may run together begin in any order.
                pictures.finish(pictures.begun.values[count - 1])
            }
            await scope.end(.drain)
            #expect(pool.count == 20)
        }
        #expect(pictures.mostRunning <= 3)
    }

    @Test func `what fails is left out`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let pool = pool(pictures, scope, ["a", "b"])
            async let first = pool.randomPicture()
            try await pictures.begun.wait(count: 2)
            pictures.fail("a")
            pictures.finish("b")
            let picture = try await first
            #expect(picture == "b")
            await scope.end(.drain)
            #expect(pool.count == 1)
        }
    }

    @Test func `when all fail it throws empty_result with a cause, and the next ask tries again`()
        async throws
    {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let pool = pool(pictures, scope, ["a", "b"])
            async let first = error { try await pool.randomPicture() }
            try await pictures.begun.wait(count: 2)
            pictures.fail("a")
            pictures.fail("b")
            let failure = await first as? CalotypeError
            #expect(failure?.code == .emptyResult)
            #expect((failure?.cause as? CalotypeError)?.code == .http(status: 404))
            #expect(!pool.isFilling)
            async let second = pool.randomPicture()
            try await pictures.begun.wait(count: 4)
            pictures.finish("a")
            let picture = try await second
            #expect(picture == "a")
        }
    }

    @Test func `a pool of nothing throws empty_result`() async throws {
        await withTaskScope { scope in
            let pool = pool(ScriptedPictures(), scope, [])
            let failure = await error { try await pool.randomPicture() } as? CalotypeError
            #expect(failure?.code == .emptyResult)
            #expect(failure?.cause == nil)
        }
    }

    @Test func `after a failure, the list of images is determined again`() async throws {
        let pictures = ScriptedPictures()
        let attempts = Recorder<Int>()
        try await withTaskScope { scope in
            let pool = ImagePool(pictures.loader(scope)) {
                attempts.record(0)
                guard attempts.count > 1 else { throw Lost() }
                return [ImageRequest("a")]
            }
            let failure = await error { try await pool.randomPicture() }
            #expect(failure is Lost)
            async let picture = pool.randomPicture()
            try await pictures.begun.wait(count: 1)
            pictures.finish("a")
            let found = try await picture
            #expect(found == "a")
        }
    }

    @Test func `a cancelled caller leaves, and the preload continues`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let pool = pool(pictures, scope, ["a"])
            let hasty = Task { try await pool.randomPicture() }
            async let patient = pool.randomPicture()
            try await pictures.begun.wait(count: 1)
            hasty.cancel()
            await #expect(throws: CancellationError.self) { try await hasty.value }
            pictures.finish("a")
            let picture = try await patient
            #expect(picture == "a")
        }
        #expect(pictures.cancelled.count == 0)
    }

    @Test(arguments: [false, true])
    func `ended, it cancels the preload, and a later request starts over`(_ isDeaf: Bool) async throws {
        let pictures = ScriptedPictures(isDeaf: isDeaf)
        try await withTaskScope { scope in
            let pool = pool(pictures, scope, ["a", "b"])
            async let waiting = error { try await pool.randomPicture() }
            try await pictures.begun.wait(count: 2)
            pool.end()
            let failure = await waiting
            #expect(failure is CancellationError)
            if !isDeaf { try await pictures.cancelled.wait(count: 2) }
            async let anew = pool.randomPicture()
            try await pictures.begun.wait(count: 4)
            // Of a deaf load the oldest ends first: the one that does not count any more.
            if isDeaf { pictures.finish("a") }
            #expect(pool.count == 0)
            pictures.finish("b")
            if isDeaf { pictures.finish("b") }
            let picture = try await anew
            #expect(picture == "b")
            pictures.finishAll()
            await scope.end(.drain)
            #expect(pool.count == 2)
        }
    }

    @Test func `ended when it is full, it forgets its pictures and loads them again`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let pool = pool(pictures, scope, ["a"])
            for round in 1...2 {
                async let picture = pool.randomPicture()
                try await pictures.begun.wait(count: round)
                pictures.finish("a")
                let found = try await picture
                #expect(found == "a")
                pool.end()
                #expect(pool.count == 0)
            }
        }
    }

    @Test func `a pool that is released cancels its preload`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            var pool: ImagePool? = pool(pictures, scope, ["a", "b"])
            pool?.preload()
            try await pictures.begun.wait(count: 2)
            pool = nil
            try await pictures.cancelled.wait(count: 2)
        }
    }

    @Test func `the end of the scope cancels the preload, and fails later requests`() async throws {
        let pictures = ScriptedPictures()
        try await withTaskScope { scope in
            let pool = pool(pictures, scope, ["a", "b"])
            async let waiting = error { try await pool.randomPicture() }
            try await pictures.begun.wait(count: 2)
            await scope.end()
            let failure = await waiting
            #expect(failure is CancellationError)
            #expect(!pool.isFilling)
            let late = await error { try await pool.randomPicture() } as? CalotypeError
            #expect(late?.code == .pipelineClosed)
        }
    }

    @Test func `with a pipeline: one picture fails, one hangs, the third appears immediately`() async throws {
        try await Gallery.open { origin, pipeline in
            let requests = ["/status/404", "/hang", "/pictures/\(Gallery.photo)"].map {
                ImageRequest(origin.url($0), .fit(64, 64))
            }
            let pool = ImagePool(pipeline.renditionLoader, of: requests)
            let picture = try await pool.randomPicture()
            #expect(picture.size == PixelSize(width: 64, height: 48))
            _ = try await origin.statistics { $0.requests == 3 }
            pool.end()
            // The 404 may be on its way yet, and is hung up then like the one that hangs.
            _ = try await origin.statistics { $0.earlyHangUps >= 1 }
        }
    }

    private func pool(
        _ pictures: ScriptedPictures,
        _ scope: TaskScope,
        _ names: [String]
    ) -> ImagePool<String> {
        ImagePool(pictures.loader(scope), of: names.map { ImageRequest($0) }, random: SeededRandom(seed: 1))
    }

    private func error(_ body: () async throws -> String) async -> (any Error)? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }
}

private struct Lost: Error {}
