/// An actor runs one piece of code at a time, but others enter at each `await`: check again afterwards, or store the work.
@main
struct ActorReentry {
    static func main() async {
        let forgetful = Forgetful()
        async let a = forgetful.photo()
        async let b = forgetful.photo()
        _ = await (a, b)
        print("checks before the await: \(await forgetful.loads) loads")

        let sharing = Sharing()
        async let c = sharing.photo()
        async let d = sharing.photo()
        _ = await (c, d)
        print("stores the work: \(await sharing.loads) load")
    }
}

func download() async -> String {
    try? await Task.sleep(for: .milliseconds(100))
    return "photo"
}

actor Forgetful {
    private var cached: String?
    private(set) var loads = 0

    func photo() async -> String {
        if let cached { return cached }
        loads += 1
        let photo = await download()
        cached = photo
        return photo
    }
}

actor Sharing {
    private var work: Task<String, Never>?
    private(set) var loads = 0

    func photo() async -> String {
        if let work { return await work.value }
        loads += 1
        let work = Task { await download() }
        self.work = work
        return await work.value
    }
}
