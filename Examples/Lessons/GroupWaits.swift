/// A task group waits for its children, even for those that nobody awaits.
@main
struct GroupWaits {
    static func main() async {
        await withTaskGroup { group in
            group.addTask {
                try? await Task.sleep(for: .milliseconds(50))
                print("child ended")
            }
            print("body returned")
        }
        print("group returned")
    }
}
