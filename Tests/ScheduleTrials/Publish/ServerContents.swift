/// What a server has, and what it does when a request arrives.
struct ServerContents: Sendable {
    struct Medium: Sendable {
        /// What the publisher calls the upload.
        let key: String
        let size: Int
        var received = 0
        var isRemoved = false
        /// Whether an answer has told the client of it.
        var isKnown = false
    }

    struct Entry: Sendable {
        /// What the publisher calls the publication.
        let key: String
        let media: [Int]
    }

    /// By their numbers, which are the server's names for them.
    private(set) var media: [Medium] = []
    private(set) var posts: [Entry] = []
    private(set) var drafts: Set<String> = []
    private let knowsKeys: Bool

    init(_ manner: ServerManner) {
        knowsKeys = manner.settling == .key
    }

    /// The media of a publication that are there.
    func media(of publication: String) -> [Medium] {
        media.filter { $0.key.hasPrefix(publication) && !$0.isRemoved }
    }

    func posts(of publication: String) -> Int {
        posts.count { $0.key == publication }
    }

    /// Carries a request out.
    ///
    /// - Returns: A number that the request asks for; nil if what it names is not there.
    mutating func perform(_ act: ServerAct) -> Int? {
        switch act {
        case .create(let key, let size):
            media.append(Medium(key: key, size: size))
            return media.count - 1
        case .append(let number, let offset, let count):
            guard has(number) else { return nil }
            if media[number].received == offset { media[number].received += count }
            return media[number].received
        case .received(let number): return has(number) ? media[number].received : nil
        case .put(let key, let size):
            if let number = find(key) { return number }
            media.append(Medium(key: key, size: size, received: size))
            return media.count - 1
        case .find(let key): return find(key)
        case .delete(let number):
            if has(number) { media[number].isRemoved = true }
            return 0
        case .deleteNamed(let key):
            if let number = find(key) { media[number].isRemoved = true }
            return 0
        case .draft(let key):
            drafts.insert(key)
            return 0
        case .removeDraft(let key):
            drafts.remove(key)
            return 0
        case .post(let key, let media):
            if knowsKeys, let number = posts.firstIndex(where: { $0.key == key }) { return number }
            drafts.remove(key)
            posts.append(Entry(key: key, media: media))
            return posts.count - 1
        case .findPost(let key): return posts.firstIndex { $0.key == key }
        }
    }

    /// Whether a medium is there.
    func has(_ number: Int) -> Bool {
        media.indices.contains(number) && !media[number].isRemoved
    }

    func isComplete(_ number: Int) -> Bool {
        has(number) && media[number].received == media[number].size
    }

    mutating func tell(of number: Int) {
        media[number].isKnown = true
    }

    /// The client that was told of these has died.
    mutating func forget(_ keys: Set<String>) {
        for number in media.indices where keys.contains(media[number].key) { media[number].isKnown = false }
    }

    private func find(_ key: String) -> Int? {
        media.firstIndex { $0.key == key && !$0.isRemoved }
    }
}

/// A request to a server.
enum ServerAct: Sendable {
    case create(key: String, size: Int)
    case append(Int, offset: Int, count: Int)
    case received(Int)
    case put(key: String, size: Int)
    case find(key: String)
    case delete(Int)
    case deleteNamed(String)
    case draft(String)
    case removeDraft(String)
    case post(key: String, media: [Int])
    case findPost(String)

    /// What it asks for, without keys, which are others in each run.
    var name: String {
        switch self {
        case .create: "create"
        case .append: "append"
        case .received: "received"
        case .put: "put"
        case .find: "find"
        case .delete, .deleteNamed: "delete"
        case .draft: "draft"
        case .removeDraft: "removeDraft"
        case .post: "post"
        case .findPost: "findPost"
        }
    }

    /// The number of the upload that it goes on with.
    var upload: Int? {
        switch self {
        case .append(let number, _, _), .received(let number): number
        default: nil
        }
    }

    var isPost: Bool {
        if case .post = self { true } else { false }
    }
}
