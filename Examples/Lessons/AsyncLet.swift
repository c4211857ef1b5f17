// `async let` starts immediately. If its scope ends before it is awaited, it is cancelled and awaited.
@main
struct AsyncLet {
    static func main() async {
        await useOne()
        print("scope left")
    }

    static func useOne() async {
        async let needed = load("needed", milliseconds: 20)
        async let extra = load("extra", milliseconds: 60_000)
        print(await needed)
        if await needed.isEmpty { print(await extra) }
        print("body returned")
    }

    static func load(_ name: String, milliseconds: Int) async -> String {
        do {
            try await Task.sleep(for: .milliseconds(milliseconds))
            return "\(name) loaded"
        } catch {
            print("\(name) cancelled")
            return ""
        }
    }
}
