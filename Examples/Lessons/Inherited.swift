enum Photo {
    @TaskLocal static var album = "none"
}

/// What a task inherits depends on its kind.
@main
struct Inherited {
    static func main() async {
        let parent = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await Photo.$album.withValue("holidays") {
                async let child = look()
                let unstructured = Task { look() }
                let detached = Task.detached { look() }
                print("async let:   ", await child)
                print("unstructured:", await unstructured.value)
                print("detached:    ", await detached.value)
            }
        }
        await parent.value
    }

    static func look() -> String { "album \(Photo.album), is cancelled: \(Task.isCancelled)" }
}
