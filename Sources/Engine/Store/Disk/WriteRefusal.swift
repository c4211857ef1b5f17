internal import CalotypeCore
internal import CalotypeSQLite
internal import Glibc

/// Why the disk took no values, and for how long it is left alone.
struct WriteRefusal: Error, Sendable {
    let reason: String
    let kind: NoticeBoard.Kind
    let rest: Duration

    /// A value file could not be written.
    init(_ error: SystemError) {
        (reason, kind, rest) = (error.description, .refused, .seconds(30))
    }

    /// The index could not be written.
    init(_ error: SQLiteError) {
        (reason, kind, rest) = (error.message, .refused, .seconds(30))
    }

    private init(reason: String, kind: NoticeBoard.Kind, rest: Duration) {
        (self.reason, self.kind, self.rest) = (reason, kind, rest)
    }

    /// The log is full, and somebody reads what is in it.
    static let logHeld = WriteRefusal(
        reason: "a reader in another process keeps the log of the index from being used anew",
        kind: .logHeld,
        rest: .seconds(1)
    )
}
