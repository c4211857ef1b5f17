import CalotypeCore
import CalotypeHTTP
import TaskFlow

@testable import CalotypeHTTPListener

/// Lets things happen to an exchange, as far as they can happen then, and takes down what goes against its promises.
struct ExchangePlay {
    enum Event: CaseIterable, Sendable {
        case headIsRead, headIsRefused, calls, bodyComes, takes, answers, streams, writes, streamEnds
        case taskReads, taskEnds, clientLeaves, stops, libraryEnds
    }

    private let reads = Guarded((begun: 0, ended: 0))
    private let hasBody: Bool
    private var state = ExchangeState()
    private var isSuspended = false
    private var headIsKnown = false
    private var headWasRead = false
    private var taskRuns = false
    private var isStreaming = false
    private var streamIsOpen = false
    private var readsBody = false
    private var libraryHasEnded = false
    private var isGone = false
    private var answers = 0
    private var endings = 0
    private var written: [UInt8] = []
    private var taken: [UInt8] = []
    private(set) var lastStep = ""
    private(set) var story: [Event] = []
    private(set) var faults: [String] = []

    init(hasBody: Bool) {
        self.hasBody = hasBody
    }

    /// Lets `event` happen, unless it cannot now.
    mutating func happen(_ event: Event) {
        guard canHappen(event) else { return }
        story.append(event)
        perform(event)
        if state.isOurTurn != isSuspended { fault("a turn that is not the connection's") }
        if isGone, isSuspended { fault("suspended with nobody there") }
        if !written.starts(with: taken) { fault("other bytes than were written") }
        if answers > 1 { fault("a second answer") }
    }

    /// Lets both sides come to their end.
    mutating func end() {
        happen(.stops)
        happen(.libraryEnds)
        happen(.streamEnds)
        happen(.taskEnds)
        if isSuspended { fault("still suspended at the end") }
        if reads.withLock({ $0.begun != $0.ended }) { fault("a reader is left waiting") }
        if endings != (headWasRead ? 1 : 0) { fault("told of \(endings) ends") }
    }

    private func canHappen(_ event: Event) -> Bool {
        switch event {
        case .headIsRead, .headIsRefused: !headIsKnown && !libraryHasEnded && !isGone
        case .calls: !libraryHasEnded
        // The library keeps a connection that is suspended.
        case .libraryEnds: !libraryHasEnded && !isSuspended
        case .bodyComes: !libraryHasEnded && readsBody && answers == 0
        case .takes: !libraryHasEnded && isStreaming && answers == 1
        case .answers, .streams, .taskEnds: taskRuns && !streamIsOpen
        case .writes, .streamEnds: taskRuns && streamIsOpen
        case .taskReads: taskRuns && hasBody && reads.withLock { $0.begun == $0.ended }
        case .clientLeaves, .stops: true
        }
    }

    private mutating func perform(_ event: Event) {
        switch event {
        case .headIsRead: readHead()
        case .headIsRefused:
            headIsKnown = true
            state.refuseHead()
        case .calls: call()
        case .bodyComes: bringBody()
        case .takes: take()
        case .answers: give(.bytes([1, 2, 3], 0..<3))
        case .streams: give(.stream(length: nil))
        case .writes: write()
        case .streamEnds:
            streamIsOpen = false
            note(state.streamEnded(isComplete: true))
        case .taskReads: read()
        case .taskEnds:
            taskRuns = false
            note(state.workEnded())
        case .clientLeaves: leave()
        case .stops:
            isGone = isGone || !libraryHasEnded
            note(state.abandon())
        case .libraryEnds:
            libraryHasEnded = true
            note(state.libraryEnded(isComplete: answers == 1))
        }
    }

    private mutating func readHead() {
        (headIsKnown, headWasRead) = (true, true)
        let request = IncomingRequest(
            method: hasBody ? "POST" : "GET",
            target: "/",
            headers: HTTPHeaders(),
            client: "",
            arrival: .now,
            body: .empty
        )
        state.headCame(request, bodyLimit: hasBody ? ByteCount(1_000) : nil)
        // A request with a body is opened where its head is read.
        if hasBody { begin() }
    }

    private mutating func begin() {
        let (begins, actions) = state.begin()
        taskRuns = begins
        note(actions)
        if !taskRuns, !isGone { fault("not begun for a client that is there") }
    }

    private mutating func call() {
        let (step, actions) = state.callForAnswer()
        note(actions)
        switch step {
        case .readHead: lastStep = "readHead"
        case .open:
            lastStep = "open"
            begin()
        case .proceed: lastStep = "proceed"
        case .wait: lastStep = "wait"
        case .answer:
            lastStep = "answer"
            answers += 1
        case .close, .refuseBody:
            lastStep = "close"
            if !isGone, taskRuns { fault("closed with a task at work") }
        }
        if isGone, lastStep != "close" { fault("\(lastStep) for a client that has gone") }
    }

    private mutating func leave() {
        let isOurTurn = isSuspended
        let (isLibraryWaiting, actions) = state.clientLeft()
        note(actions)
        if isLibraryWaiting, isOurTurn || libraryHasEnded || !hasBody || answers > 0 {
            fault("a library woken that does not wait for a body")
        }
        isGone = isGone || (isOurTurn || isLibraryWaiting) && !libraryHasEnded
    }

    private mutating func bringBody() {
        let (step, actions) = unsafe [7, 7, 7].withUnsafeBytes { unsafe state.bodyCame($0) }
        note(actions)
        if isGone, case .proceed = step { fault("a body of a client that has gone") }
    }

    private mutating func read() {
        let reads = reads
        reads.withLock { $0.begun += 1 }
        let actions = state.readBody({ _ in reads.withLock { $0.ended += 1 } }, isCancelled: false)
        note(actions)
        if reads.withLock({ $0.begun != $0.ended }) { readsBody = true }
    }

    private mutating func take() {
        let (delivery, actions) = state.take(2)
        note(actions)
        guard case .bytes(let bytes) = delivery else { return }
        taken += bytes
        if isGone { fault("bytes for a client that has gone") }
    }

    private mutating func give(_ content: Answer.Content) {
        var response = OutgoingResponse(200)
        if case .stream = content {
            response.body = .stream(length: nil, AsyncThrowingStream { $0.finish() })
        }
        if case .bytes = content { response.body = .bytes([1, 2, 3]) }
        let request = ExchangePlay.asking
        let answer = Answer(response, to: request, from: "", closes: hasBody)
        let (isWanted, actions) = state.give(answer)
        note(actions)
        guard isWanted else { return }
        if isGone { fault("an answer for a client that has gone") }
        if case .stream = content { (isStreaming, streamIsOpen) = (true, true) }
    }

    private mutating func write() {
        let piece = [
            UInt8(written.count % 251), UInt8((written.count + 1) % 251), UInt8((written.count + 2) % 251),
        ]
        let (result, actions) = state.write(piece)
        if case .success = result { written += piece }
        note(actions)
    }

    private mutating func note(_ actions: ExchangeState.Actions) {
        if let change = actions.connection {
            if isSuspended == (change == .suspend) { fault("suspended or resumed twice") }
            isSuspended = change == .suspend
        }
        if let (reader, result) = actions.bodyReader { reader(result) }
        guard actions.finished != nil else { return }
        endings += 1
        if !libraryHasEnded || taskRuns { fault("told of its end before that") }
    }

    private mutating func fault(_ text: String) { faults.append(text) }

    private static let asking = IncomingRequest(
        method: "GET",
        target: "/",
        headers: HTTPHeaders(),
        client: "",
        arrival: .now,
        body: .empty
    )
}
