import CalotypePublish

/// What a publisher has promised to destinations, seen from the destination: who is at work, and what has to be remembered.
struct PostWitness: Sendable {
    /// One upload, by its key.
    private struct Upload {
        var isRunning = false
        /// What the next attempt may find remembered; two values while one is being written.
        var states: Set<RememberedState> = [.none]
        /// The destination has answered that it has the medium.
        var isTaken = false
    }

    /// How many media of a post are sent at a time.
    static let width = 2

    private var uploads: [String: Upload] = [:]
    /// The publications whose post is being sent.
    private var posting: Set<String> = []
    /// The publications whose post may be at the server.
    private var mayBePublished: Set<String> = []
    /// Whether an earlier process died: it may not have written down what it knew.
    private var hasDied = false
    /// What was found to be wrong, for whoever asks or tells next.
    var findings: [String] = []

    // MARK: Media

    mutating func uploadBegins(_ key: String, _ state: RememberedState) {
        let upload = uploads[key] ?? Upload()
        if upload.isRunning { findings.append("two uploads of one medium at a time") }
        if upload.isTaken, !hasDied { findings.append("a medium that was taken is sent again") }
        if posting.contains(where: { key.hasPrefix($0) }) {
            findings.append("a medium is sent while the post is")
        }
        if !upload.states.contains(state) {
            findings.append("an attempt finds \(Self.word(state)) remembered, and not what the last one did")
        }
        let crowd = uploads.count { $0.value.isRunning && $0.key.prefix(36) == key.prefix(36) }
        if crowd >= Self.width { findings.append("more media are sent at a time than may be") }
        uploads[key] = upload
        uploads[key]?.isRunning = true
        uploads[key]?.states = [state]
    }

    mutating func uploadEnds(_ key: String, isTaken: Bool = false, startsOver: Bool = false) {
        uploads[key]?.isRunning = false
        if isTaken { uploads[key]?.isTaken = true }
        // A process that is cancelled on the way may not come to write it.
        if startsOver { uploads[key]?.states.insert(.none) }
    }

    mutating func remembers(_ key: String, _ state: RememberedState) {
        uploads[key]?.states.insert(state)
    }

    mutating func hasRemembered(_ key: String, _ state: RememberedState) {
        uploads[key]?.states = [state]
    }

    mutating func removalBegins(_ key: String) {
        if uploads[key]?.isRunning == true { findings.append("a medium is removed while it is sent") }
        if posting.contains(where: { key.hasPrefix($0) }) {
            findings.append("a medium is removed while its post is sent")
        }
    }

    // MARK: Posts

    mutating func postBegins(_ publication: String, mayHaveBeenSent: Bool) {
        if !posting.insert(publication).inserted { findings.append("two attempts at one post at a time") }
        if uploads.contains(where: { $0.key.hasPrefix(publication) && $0.value.isRunning }) {
            findings.append("the post is sent while a medium is")
        }
        if mayBePublished.contains(publication), !mayHaveBeenSent {
            findings.append("an attempt is told that no earlier one can have arrived, and one can")
        }
    }

    /// A request with the post leaves.
    mutating func postLeaves(_ publication: String) {
        mayBePublished.insert(publication)
    }

    /// `isRefused` tells that this attempt was refused, and that no earlier one can have arrived.
    mutating func postEnds(_ publication: String, isRefused: Bool = false) {
        posting.remove(publication)
        if isRefused { mayBePublished.remove(publication) }
    }

    /// Somebody looked at the server.
    mutating func isNotPublished(_ publication: String) {
        mayBePublished.remove(publication)
    }

    // MARK: The process

    /// - Returns: The uploads of which the journal may not know what the process knew.
    mutating func processDied() -> Set<String> {
        hasDied = true
        posting = []
        for key in uploads.keys { uploads[key]?.isRunning = false }
        return Set(uploads.filter { $0.value.states.count > 1 }.keys)
    }

    private static func word(_ state: RememberedState) -> String {
        state == .none ? "nothing" : "something"
    }
}
