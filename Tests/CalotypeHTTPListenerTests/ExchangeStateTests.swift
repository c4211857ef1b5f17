import CalotypeCore
import CalotypeHTTP
import TaskFlow
import Testing

@testable import CalotypeHTTPListener

/// What an exchange decides, whatever comes when.
@Suite
struct ExchangeStateTests {
    @Test(arguments: [false, true])
    func `no order of events breaks what an exchange promises`(hasBody: Bool) {
        let events = ExchangePlay.Event.allCases
        for first in events {
            for second in events {
                for third in events {
                    for fourth in events {
                        var play = ExchangePlay(hasBody: hasBody)
                        for event in [first, second, third, fourth] { play.happen(event) }
                        play.end()
                        #expect(play.faults == [], "\(play.story)")
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<200)
    func `nor does any long one`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for hasBody in [false, true] {
            var play = ExchangePlay(hasBody: hasBody)
            for _ in 0..<40 {
                play.happen(ExchangePlay.Event.allCases.randomElement(using: &random) ?? .calls)
            }
            play.end()
            #expect(play.faults == [], "\(play.story)")
        }
    }

    @Test func `a response that the library has sent is complete even if the listener stops meanwhile`() {
        var state = ExchangeState()
        let request = IncomingRequest(
            method: "GET",
            target: "/",
            headers: HTTPHeaders(),
            client: "",
            arrival: .now,
            body: .empty
        )
        state.headCame(request, bodyLimit: nil)
        let answer = Answer(
            OutgoingResponse(200, HTTPHeaders(), .bytes([1, 2, 3])),
            to: request,
            from: "",
            closes: true
        )
        _ = state.callForAnswer()
        state.answerImmediately(answer)
        _ = state.abandon()
        let finished = state.libraryEnded(isComplete: true).finished
        #expect(finished?.isComplete == true)
        #expect(finished?.sentBytes == 3)
    }

    /// What the library is told when it calls for the answer, after these events.
    @Test(
        arguments: [
            ([], "readHead"), ([.headIsRead], "open"), ([.headIsRefused], "proceed"),
            ([.headIsRead, .calls], "wait"), ([.headIsRead, .calls, .answers], "answer"),
            ([.headIsRead, .calls, .streams], "answer"), ([.headIsRead, .calls, .clientLeaves], "close"),
            ([.headIsRead, .calls, .stops], "close"), ([.headIsRead, .calls, .taskEnds], "close"),
            ([.headIsRead, .stops], "close"),
        ] as [([ExchangePlay.Event], String)]
    )
    func `each call for the response returns what has happened`(
        events: [ExchangePlay.Event],
        step: String
    ) {
        var play = ExchangePlay(hasBody: false)
        for event in events { play.happen(event) }
        play.happen(.calls)
        #expect(play.lastStep == step)
    }
}
