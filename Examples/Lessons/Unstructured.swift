// Nobody waits for an unstructured task, and nobody else cancels it: both are up to the code that has its handle.
@main
struct Unstructured {
    static func main() async {
        let short = start("short task", .milliseconds(50))
        print("start returned")
        await short.value

        let long = start("long task", .seconds(60))
        long.cancel()
        await long.value
    }

    static func start(_ name: String, _ duration: Duration) -> Task<Void, Never> {
        Task {
            do {
                try await Task.sleep(for: duration)
                print("\(name) ended")
            } catch {
                print("\(name) threw \(type(of: error))")
            }
        }
    }
}
