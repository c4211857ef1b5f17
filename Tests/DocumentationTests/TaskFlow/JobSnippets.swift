import CalotypeTestKit
import Dispatch
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct JobSnippets {
    private let photos = ["beach", "harbour"]
    private let post = "A day at the sea"
    private let sent = Recorder<String>()
    private let shown = Recorder<String>()
    private let workout = Workout(name: "run")

    @Sendable private func send(_ item: String) async throws { sent.record(item) }
    @Sendable private func size(of photo: String) async throws -> Int { photo.utf8.count }
    @Sendable private func show(_ text: String) { shown.record(text) }

    @Test func `jobs are put together and run`() async throws {
        // snippet: Jobs.compose
        let upload = Job.group(photos.map { photo in Job { try await send(photo) } }, width: 3)
        let publish = Job.sequence([upload, Job { try await send(post) }])

        try await publish.run()
        // end
        #expect(sent.values.sorted() == ["A day at the sea", "beach", "harbour"])
        #expect(sent.values.last == post)
    }

    @Test func `outputs come in order`() async throws {
        // snippet: Jobs.outputs
        let sizes = try await Job.group(photos.map { photo in Job { try await size(of: photo) } }).run()
        // end
        #expect(sizes == [5, 7])
    }

    @Test func `callback code starts a job`() async throws {
        let publish = Job { try await send(post) }
        func start() -> JobToken {
            // snippet: Jobs.perform
            let token = publish.perform(on: .main) { outcome in
                switch outcome {
                case .success: show("Published.")
                case .failure(let error): show("Not published: \(error)")
                }
            }
            // end
            return token
        }
        let token = start()
        try await shown.wait(count: 1)
        #expect(shown.values == ["Published."])
        #expect(!token.isCancelled)
    }

    @Test func `a job from a callback API`() async throws {
        let store = WorkoutStore()
        // snippet: Jobs.controller
        let save = Job { controller in
            let request = store.save(workout) { error in
                if let error { controller.fail(with: error) } else { controller.finish() }
            }
            controller.onCancel { _ in request.cancel() }
        }
        // end
        try await save.run()
        let workouts = try await workouts(from: store)
        #expect(workouts == [workout])
    }

    @Test func `jobs in comments`() async throws {
        let store = WorkoutStore()
        func step(_ name: String) -> Job<Void> { Job { try await send(name) } }
        let (addSamples, addRoute, commit) = (step("samples"), step("route"), step("commit"))
        let saveWorkout = {
            // snippet: Jobs.comment.controller
            let save = Job { controller in
                store.save(workout) { error in
                    if let error { controller.fail(with: error) } else { controller.finish() }
                }
            }
            // end
            return save
        }()
        // snippet: Jobs.comment.compose
        let save = Job.sequence([saveWorkout, .group([addSamples, addRoute]).timeout(.seconds(30)), commit])
        try await save.run()
        // end
        #expect(sent.values.sorted() == ["commit", "route", "samples"])
        #expect(sent.values.last == "commit")
    }

    @Test func `a callback API in a comment`() async throws {
        let loader = PictureLoader()
        let url = "https://example.org/"
        // snippet: Jobs.comment.withCallback
        let picture = try await withCallback(of: Picture.self) { callback in
            let request = loader.load(url) { result in callback.finish(with: result) }
            callback.onCancel { _ in request.cancel() }
        }
        // end
        #expect(picture.url == url)
    }

    // snippet: Jobs.withCallback
    func workouts(from store: WorkoutStore) async throws -> [Workout] {
        try await withCallback { callback in
            let request = store.loadAll { result in callback.finish(with: result) }
            callback.onCancel { _ in request.cancel() }
        }
    }
    // end
}
