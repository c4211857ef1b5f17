import TaskFlowTesting

/// How a server takes media and posts, and how long that takes.
struct ServerManner: Sendable, CustomStringConvertible {
    /// What a server can say of a post whose answer was lost.
    enum Settling: CaseIterable, Sendable {
        /// It knows the post by its key, and takes it once.
        case key
        /// It can be asked whether the post is there.
        case lookUp
        /// Nothing.
        case never
    }

    /// Whether a medium is created and then sent in pieces; else it is sent whole, under a name that the client chooses.
    var takesPieces = false
    var settling = Settling.key
    /// Whether a draft is made before the post.
    var hasDrafts = false
    /// How long each way of each request takes, one after the other, again and again.
    var delays = [1]
    /// After what time a request that was cut arrives; never if it is nil.
    var late: Int?

    init() {}

    init(_ random: inout ScheduleRandom) {
        takesPieces = .random(using: &random)
        settling = Settling.allCases.randomElement(using: &random) ?? .key
        hasDrafts = Int.random(in: 0..<3, using: &random) == 0
        delays = (0..<Int.random(in: 1...4, using: &random)).map { _ in .random(in: 0...3, using: &random) }
        late = [nil, 0, 1, 200][.random(in: 0..<4, using: &random)]
    }

    var description: String {
        let arrival = late.map { "arrives after \($0)" } ?? "never arrives"
        return """
            media \(takesPieces ? "in pieces" : "whole"), lost posts known by \(settling)\(hasDrafts ? ", with drafts" : ""), \
            delays \(delays), what was cut \(arrival)
            """
    }
}

/// What a request is for.
enum CallPlace: Hashable, Sendable, CustomStringConvertible {
    case limits, post, removal
    case medium(Int)

    init(_ random: inout ScheduleRandom) {
        self =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .limits
            case 1: .removal
            case 2, 3, 4: .post
            default: .medium(.random(in: 0...2, using: &random))
            }
    }

    var description: String {
        switch self {
        case .limits: "the limits"
        case .post: "the post"
        case .removal: "a removal"
        case .medium(let position): "medium \(position)"
        }
    }
}

/// What goes wrong with a request.
enum CallFault: Sendable {
    /// Nothing helps.
    case refused
    case failed
    /// The connection ends before the request is carried out.
    case cut
    /// The request is carried out, and its answer does not arrive.
    case unanswered
    /// The server wants no request for that time.
    case limited(Int)
    case busy
    /// The server has lost the upload.
    case gone

    static func random(_ random: inout ScheduleRandom) -> CallFault {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .refused
        case 1: .failed
        case 2, 3: .cut
        case 4, 5, 6: .unanswered
        case 7: .limited(.random(in: 1...100, using: &random))
        case 8: .busy
        default: .gone
        }
    }
}
