import Testing

@Suite(.timeLimit(.minutes(1))) struct KindsSnippets {
    private let urls = ["https://example.org/a", "https://example.org/b"]
    private let url = "https://example.org/a"

    @Test func `a group`() async throws {
        // snippet: Kinds.group
        let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
            for url in urls { group.addTask { try await size(of: url) } }
            return try await group.reduce(into: []) { sizes, size in sizes.append(size) }
        }
        // end
        #expect(sizes == [21, 21])
    }

    @Test func `a fixed number of things`() async throws {
        let user = "ada"
        func load() async throws -> Page {
            // snippet: Kinds.asyncLet
            async let avatar = picture(of: user)
            async let cards = cards(of: user)
            return try await Page(avatar: avatar, cards: cards)
            // end
        }
        let page = try await load()
        #expect(page == Page(avatar: "ada.png", cards: ["ada"]))
    }

    @Test func `a function that waits for a task passes its cancellation on`() async throws {
        func load() async throws -> Photo {
            // snippet: Kinds.handler
            let task = Task { try await download(url) }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            // end
        }
        let photo = try await load()
        #expect(photo.name == url)
    }

    @Test func `a cache that is right for one caller at a time`() async throws {
        let cache = ForgetfulCache()
        let photo = try await cache.photo("harbour")
        #expect(photo.name == "harbour")
    }
}

// snippet: Kinds.cache
actor ForgetfulCache {
    private var photos: [String: Photo] = [:]

    func photo(_ name: String) async throws -> Photo {
        if let photo = photos[name] { return photo }
        let photo = try await download(name)
        photos[name] = photo
        return photo
    }
}
// end

struct Photo: Hashable, Sendable {
    let name: String
}

private struct Page: Hashable {
    let avatar: String
    let cards: [String]
}

private func size(of url: String) async throws -> Int { url.utf8.count }
private func picture(of user: String) async throws -> String { "\(user).png" }
private func cards(of user: String) async throws -> [String] { [user] }
private func download(_ name: String) async throws -> Photo { Photo(name: name) }
