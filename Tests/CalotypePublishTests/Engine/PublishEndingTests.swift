import CalotypeCore
import CalotypeHTTP
import Testing

@testable import CalotypePublish

@Suite struct PublishEndingTests {
    private static func record(
        _ state: PublicationState,
        up: Int = 0,
        of count: Int = 2,
        problem: String? = nil
    ) -> PublicationRecord {
        PublicationRecord(
            number: 1,
            id: "0b0f",
            fingerprint: "f",
            destination: "tus+https://h/",
            note: nil,
            text: "hello",
            state: state,
            created: WallTime(secondsSince1970: 1_777_618_800),
            sent: nil,
            remembered: .none,
            result: nil,
            problem: problem,
            items: (0..<count).map { position in
                ItemRecord(
                    position: position,
                    name: "\(position).jpg",
                    origin: "o",
                    file: nil,
                    type: nil,
                    remembered: .none,
                    uploaded: position < up ? UploadedMedium(id: "\(position)") : nil
                )
            }
        )
    }

    private static func ending(
        _ result: Result<PublishedPost, any Error>,
        _ record: PublicationRecord? = nil,
        stages: [PublishState.Item.Stage] = [.ready, .ready]
    ) -> PublishEnding {
        var state = PublishState()
        state.items = stages.enumerated().map { position, stage in
            var item = PublishState.Item(name: "\(position).jpg", stage: stage)
            (item.size, item.acknowledged) = (ByteCount(1000), ByteCount(stage == .ready ? 1000 : 0))
            item.problem = stage == .failed ? "too large" : nil
            return item
        }
        return PublishEnding(
            result,
            state,
            record,
            at: "tus+https://h/",
            .init(
                publish: "publish",
                resume: "go on",
                again: "once more",
                collect: "remove",
                settle: "settle"
            )
        )
    }

    private static func failure(_ code: ErrorCode) -> Result<PublishedPost, any Error> {
        .failure(CalotypeError(code, "it failed", stage: .response))
    }

    private static let published = PublishedPost(
        id: "7",
        url: "https://h/7",
        media: [.init(id: "m"), .init(id: "n")]
    )

    @Test func `a published post reports its size and the time that it took`() {
        let ending = Self.ending(.success(Self.published))
        #expect(ending.exitCode == 0)
        #expect(
            ending.lines(after: .milliseconds(1234)) == [
                "published at tus+https://h/: 2 media, 2.0 kB, in 1.2 s"
            ]
        )
        #expect(
            ending.json
                == #"{"destination":"tus+https://h/","id":"7","media":[{"id":"m","name":"0.jpg"},{"id":"n","name":"1.jpg"}],"result":"published","url":"https://h/7"}"#
        )
        let before = Self.ending(.success(Self.published), stages: [.preparing, .preparing])
        #expect(before.lines(after: .zero) == ["already published at tus+https://h/; nothing was sent"])
    }

    @Test func `a failure names the medium, what is uploaded, and the command to resume`() {
        let ending = Self.ending(
            Self.failure(.http(status: 422)),
            Self.record(.failed, up: 1),
            stages: [.ready, .failed]
        )
        #expect(ending.exitCode == 1)
        #expect(
            ending.lines(after: .zero) == [
                "not published: 1.jpg: http_422: it failed", "1 of 2 media are on the server. To resume:",
                "  go on",
            ]
        )
        #expect(
            ending.json
                == #"{"code":"http_422","destination":"tus+https://h/","media":[{"name":"0.jpg"},{"name":"1.jpg","problem":"too large"}],"message":"it failed","ready":1,"result":"failed","resume":"go on","total":2}"#
        )
    }

    @Test func `a medium is not named twice, and nothing that is not up is said to be`() {
        let error = CalotypeError(.http(status: 422), "cannot send 1.jpg", stage: .response)
        var record = Self.record(.failed)
        record.items = [Self.begun(record.items[0]), record.items[1]]
        let ending = Self.ending(.failure(error), record, stages: [.waiting, .failed])
        #expect(
            ending.lines(after: .zero) == [
                "not published: http_422: cannot send 1.jpg", "To resume:", "  go on",
            ]
        )
    }

    private static func begun(_ item: ItemRecord) -> ItemRecord {
        ItemRecord(
            position: item.position,
            name: item.name,
            origin: item.origin,
            file: nil,
            type: nil,
            remembered: RememberedState(json: "1"),
            uploaded: nil
        )
    }

    @Test func `without an upload there is nothing to continue`() {
        let ending = Self.ending(Self.failure(.postRefused), nil, stages: [.preparing])
        #expect(
            ending.exitCode == 3 && ending.lines(after: .zero) == ["not published: post_refused: it failed"]
        )
    }

    @Test func `several media that failed are all reported`() {
        let ending = Self.ending(
            Self.failure(.postRefused),
            Self.record(.failed),
            stages: [.failed, .failed]
        )
        #expect(ending.exitCode == 3)
        #expect(
            ending.lines(after: .zero) == [
                "not published: post_refused: it failed", "  0.jpg: too large", "  1.jpg: too large",
            ]
        )
    }

    @Test(
        arguments: [
            (ErrorCode.alreadyPublished, 3, ["To publish it again:", "  once more"]),
            (.publishUnfinished, 1, ["To resume it:", "  go on", "To start over:", "  once more"]),
            (.outcomeUnknown, 1, ["To find out:", "  go on", "If it is not there:", "  once more"]),
            (.publishBusy, 1, []), (.nothingToResume, 3, ["To publish it, omit --resume."]),
            (.sourceChanged, 1, ["To publish the changed files:", "  once more"]),
        ] as [(ErrorCode, Int32, [String])]
    )
    func `the reported features are the available ones`(code: ErrorCode, exitCode: Int32, advice: [String]) {
        let ending = Self.ending(Self.failure(code), nil, stages: [.preparing])
        #expect(ending.exitCode == exitCode && Array(ending.lines(after: .zero).dropFirst()) == advice)
    }

    @Test func `a post that is published and could not be written down is not said to be unpublished`() {
        let error = CalotypeError(
            .publishedNotRecorded,
            "the post is published as https://h/7, but the journal could not record it: full",
            stage: .store,
            url: "https://h/7"
        )
        let ending = Self.ending(.failure(error), Self.record(.posting, up: 2))
        #expect(ending.exitCode == 4 && ending.url == "https://h/7")
        #expect(
            ending.lines(after: .zero) == [
                "\(error)", "Free some disk space, then record the post:",
                "  settle 0b0f --published https://h/7",
            ]
        )
        #expect(!ending.lines(after: .zero).joined().contains("not published"))
        #expect(ending.json.contains(#""code":"published_not_recorded""#))
        #expect(ending.json.contains(#""result":"published""#) && !ending.json.contains("resume"))
    }

    @Test func `a person who can check the server learns how to record the outcome`() {
        let ending = Self.ending(Self.failure(.outcomeUnknown), Self.record(.posting, up: 2))
        #expect(
            ending.lines(after: .zero).dropFirst() == [
                "To find out:", "  go on", "Or check the server yourself, and record what you found:",
                "  settle 0b0f --published", "  settle 0b0f --not-published",
            ]
        )
    }

    @Test func `an interruption reports what is left`() {
        let cancelled = Result<PublishedPost, any Error>.failure(CancellationError())
        let clean = Self.ending(cancelled, Self.record(.cancelled))
        #expect(clean.exitCode == 130)
        #expect(
            clean.lines(after: .zero) == [
                "nothing was published, and nothing is left on the server. To publish it:", "  publish",
            ]
        )
        #expect(Self.ending(cancelled, Self.record(.cancelled, up: 1)).lines(after: .zero).last == "  remove")
        var cut = Self.record(.cancelled)
        cut.items = [Self.begun(cut.items[0])]
        #expect(
            Self.ending(cancelled, cut).lines(after: .zero) == [
                "nothing was published; some media may still be on the server. To remove them:", "  remove",
            ]
        )
        #expect(
            Self.ending(cancelled, Self.record(.cancelled, up: 1)).lines(after: .zero).first
                == "nothing was published; some media are still on the server. To remove them:"
        )
        let kept = Self.record(.cancelled, problem: "this server cannot delete 0.jpg")
        #expect(
            Self.ending(cancelled, kept).lines(after: .zero) == [
                "nothing was published; this server cannot delete 0.jpg"
            ]
        )
        #expect(Self.ending(cancelled, Self.record(.posting, up: 2)).lines(after: .zero).last == "  go on")
    }

    @Test func `the journal shows the outcome of each publication`() {
        #expect(
            Self.record(.posted, up: 2).standing == "published"
                && Self.record(.posting).standing == "unknown"
        )
        #expect(
            Self.record(.failed, up: 1).standing == "unfinished" && Self.record(.failed).standing == "failed"
        )
        #expect(Self.record(.cancelled, up: 1).standing == "to remove")
        #expect(
            Self.record(.collecting, up: 1).share == "1 of 2"
                && Self.record(.posted).begun == "2026-05-01 07:00"
        )
        #expect(Self.record(.failed, up: 1).json.contains(#""unfinished":true"#))
    }

    @Test func `the summary counts photos that were sent without their location`() {
        var ending = Self.ending(.success(PublishedPost(id: "p", url: "https://h/p", media: [])))
        #expect(ending.lines(after: .seconds(1)).count == 1)
        for count in 1...2 {
            var state = ending.state
            state.items[count - 1].losesLocation = true
            ending = PublishEnding(ending.result, state, nil, at: ending.destination, ending.commands)
            let line = ending.lines(after: .seconds(1)).last ?? ""
            #expect(
                line.hasPrefix(count == 1 ? "1 photo was" : "2 photos were")
                    && line.contains("--keep-metadata")
            )
        }
    }
}
