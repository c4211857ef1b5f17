import CalotypePublish
import TaskFlowTesting

/// A part of the life of one post: what it has, what its server is like, what goes wrong, and who publishes it when.
///
/// Times are counted in units of 10 ms, and there are few of them, so that things happen at the same moment.
enum PostOperation: Sendable, CustomStringConvertible {
    /// The post has another medium, which is sent in so many pieces.
    case medium(pieces: Int)
    case server(ServerManner)
    /// What comes of the `call`th request of a kind.
    case fault(CallPlace, call: Int, CallFault)
    /// Somebody publishes the post.
    case run(PostRun)
    /// Every second one who publishes does so in another process.
    case twoProcesses
    /// The progress of all who publish is read.
    case readers
    /// Somebody removes what cancelled publications left at the server, at a moment of the journal.
    case sweep(moment: Int, includingUnfinished: Bool)
    /// The process dies at a moment of the journal; what a later one makes of it is looked at in the end.
    case death(moment: Int, keepsRequests: Bool)

    var description: String {
        switch self {
        case .medium(let pieces): "a medium of \(pieces) pieces"
        case .server(let manner): "a server: \(manner)"
        case .fault(let place, let call, let fault): "request \(call) for \(place) is \(fault)"
        case .run(let run): "\(run)"
        case .twoProcesses: "publish in two processes"
        case .readers: "read the progress"
        case .sweep(let moment, let includingUnfinished):
            "at moment \(moment) of the journal remove leftovers\(includingUnfinished ? ", also of unfinished publications" : "")"
        case .death(let moment, let keepsRequests):
            "die at moment \(moment) of the journal\(keepsRequests ? "; requests under way arrive" : "")"
        }
    }

    /// One to four media, a server, some faults, and one to four who publish.
    static func program(_ random: inout ScheduleRandom) -> [PostOperation] {
        var program: [PostOperation] = [.server(ServerManner(&random))]
        for _ in 0..<[0, 1, 1, 1, 2, 2, 3][.random(in: 0..<7, using: &random)] {
            program.append(.medium(pieces: .random(in: 1...3, using: &random)))
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            program.append(
                .fault(
                    CallPlace(&random),
                    call: .random(in: 1...4, using: &random),
                    CallFault.random(&random)
                )
            )
        }
        for _ in 0..<[1, 1, 1, 2, 2, 3][.random(in: 0..<6, using: &random)] {
            program.append(.run(PostRun(&random)))
        }
        if Int.random(in: 0..<3, using: &random) == 0 { program.append(.readers) }
        if Int.random(in: 0..<4, using: &random) == 0 { program.append(.twoProcesses) }
        if Int.random(in: 0..<3, using: &random) == 0 {
            program.append(
                .sweep(
                    moment: .random(in: 1...30, using: &random),
                    includingUnfinished: .random(using: &random)
                )
            )
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
            program.append(
                .death(moment: .random(in: 1...24, using: &random), keepsRequests: .random(using: &random))
            )
        }
        return program
    }
}

/// Somebody who publishes the post.
struct PostRun: Sendable, CustomStringConvertible {
    /// How the parts of the post are sent.
    enum Shape: Sendable {
        case plain
        /// The caller's own group of media, so many at a time.
        case group(width: Int)
        /// One after the other, the last first, and each a second time, as the post.
        case twiceInSequence
    }

    /// When it is cancelled.
    enum Cancellation: Sendable {
        case after(Int)
        /// At that moment of the journal, counted from the start of the program.
        case atMoment(Int)
    }

    let start: Int
    let repetition: Repetition
    let shape: Shape
    let cancellation: Cancellation?

    init(_ random: inout ScheduleRandom) {
        start = .random(in: 0...12, using: &random)
        repetition =
            [.refuse, .resume, .resumeOrBegin, .resumeOrBegin, .again][.random(in: 0..<5, using: &random)]
        shape =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .group(width: .random(in: 1...2, using: &random))
            case 1: .twiceInSequence
            default: .plain
            }
        cancellation =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: nil
            case 1: .atMoment(.random(in: 1...24, using: &random))
            default: .after(.random(in: 0...8, using: &random))
            }
    }

    var description: String {
        let end =
            switch cancellation {
            case nil: ""
            case .after(let time): ", cancelled after \(time)"
            case .atMoment(let moment): ", cancelled at moment \(moment) of the journal"
            }
        return "at \(start) publish (\(repetition), \(shape))\(end)"
    }
}
