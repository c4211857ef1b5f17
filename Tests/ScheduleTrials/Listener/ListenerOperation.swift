import TaskFlowTesting

/// A client of a listener, or what its owner does; times are in units of 10 ms.
enum ListenerOperation: Sendable, CustomStringConvertible {
    case client(ClientPlan)
    /// Takes no more connections, and waits so long for the answers under way.
    case drain(start: Int, grace: Int)

    var description: String {
        switch self {
        case .client(let plan): "\(plan)"
        case .drain(let start, let grace): "at \(start) drain within \(grace)"
        }
    }

    /// One to four clients, and perhaps a drain while they are there.
    static func program(_ random: inout ScheduleRandom) -> [ListenerOperation] {
        var program: [ListenerOperation] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) { program.append(.client(ClientPlan(&random))) }
        if Int.random(in: 0..<2, using: &random) == 0 {
            let grace = [0, 3, 200, 200][.random(in: 0..<4, using: &random)]
            program.append(.drain(start: .random(in: 0...20, using: &random), grace: grace))
        }
        return program
    }
}

/// One connection, the requests on it, and when its client leaves.
struct ClientPlan: Sendable, CustomStringConvertible {
    enum Departure: Sendable {
        /// So long after it has come.
        case after(Int)
        /// While the responder is asked for the first time about that request.
        case duringFirstAnswer(Int)
        /// While the plan for that request begins.
        case duringPlan(Int)
    }

    let start: Int
    let requests: [RequestPlan]
    let departure: Departure?

    init(_ random: inout ScheduleRandom) {
        start = .random(in: 0...6, using: &random)
        let count = [1, 1, 1, 2, 3][.random(in: 0..<5, using: &random)]
        requests = (0..<count).map { _ in RequestPlan(&random) }
        departure =
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: .after(.random(in: 0...20, using: &random))
            case 2: .duringFirstAnswer(.random(in: 0..<count, using: &random))
            case 3: .duringPlan(.random(in: 0..<count, using: &random))
            default: nil
            }
    }

    var description: String {
        let end =
            switch departure {
            case nil: ""
            case .after(let time): ", leave after \(time)"
            case .duringFirstAnswer(let request): ", leave while request \(request) is first asked about"
            case .duringPlan(let request): ", leave while the plan for request \(request) begins"
            }
        return "at \(start) connect and send \(requests)\(end)"
    }
}

/// One request, and how it is answered.
struct RequestPlan: Sendable, CustomStringConvertible {
    enum Answering: Sendable {
        case immediate
        /// In a task, so long after it was asked.
        case task(after: Int)
        /// In a task that begins on the listener's thread, so long after it was asked.
        case later(after: Int)
        /// In a task that only a cancellation ends.
        case never
    }

    enum Content: Sendable {
        case bytes
        /// So many pieces of so many bytes, with a pause before each.
        case stream(pieces: Int, bytes: Int, pause: Int, knowsLength: Bool)
        /// A stream that fails after its first piece.
        case brokenStream
    }

    let answering: Answering
    let content: Content
    /// How many pieces the client sends after the head; nil if there is no body.
    var bodyPieces: Int?
    let pieceBytes: Int
    /// Whether the client stops before the last of them.
    let bodyStops: Bool
    /// Whether the library does not see that it leaves then, as when that comes together with bytes.
    let hidesDeparture: Bool
    /// Whether the body may have no more than one of them.
    let isTooLong: Bool
    /// Whether the responder reads the body before it answers.
    let readsBody: Bool
    /// How long the client needs for each piece that it sends or takes.
    let pace: Int

    init(_ random: inout ScheduleRandom) {
        let time = Int.random(in: 0...12, using: &random)
        answering =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .immediate
            case 1...3: .later(after: time)
            case 4: .never
            default: .task(after: time)
            }
        content =
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                .stream(
                    pieces: .random(in: 0...5, using: &random),
                    bytes: [1, 1, 60_000][.random(in: 0..<3, using: &random)],
                    pause: .random(in: 0...3, using: &random),
                    knowsLength: .random(using: &random)
                )
            case 2: .brokenStream
            default: .bytes
            }
        if Int.random(in: 0..<3, using: &random) == 0 { bodyPieces = .random(in: 1...5, using: &random) }
        pieceBytes = [1, 1, 60_000][.random(in: 0..<3, using: &random)]
        bodyStops = Int.random(in: 0..<5, using: &random) == 0
        hidesDeparture = .random(using: &random)
        isTooLong = Int.random(in: 0..<8, using: &random) == 0
        readsBody = .random(using: &random)
        pace = .random(in: 0...2, using: &random)
    }

    var description: String {
        var body = ""
        if let bodyPieces {
            body = " with \(bodyPieces) pieces of \(pieceBytes) bytes"
            if bodyStops { body += ", the last of which never comes\(hidesDeparture ? ", nor its end" : "")" }
            if isTooLong, bodyPieces > 1 { body += ", which is too long" }
            if readsBody { body += ", which is read" }
        }
        return "a request\(body), answered \(answering) by \(content) at a pace of \(pace)"
    }

    /// Whether its answer has to come, if the client stays and there is time.
    var isAnswered: Bool {
        if case .never = answering { return false }
        if case .brokenStream = content { return false }
        return bodyPieces == nil || !bodyStops && !(isTooLong && (bodyPieces ?? 0) > 1)
    }

    var isStuckInBody: Bool { bodyPieces != nil && bodyStops }

    var bodyLimit: Int { isTooLong ? pieceBytes : (bodyPieces ?? 0) * pieceBytes }
}
