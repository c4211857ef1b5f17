/// Why an entry, or a part of it, makes no sense.
struct AppFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
