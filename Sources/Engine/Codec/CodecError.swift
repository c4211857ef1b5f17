import CalotypeCore
import CalotypeFiles

/// The reason why a part of the codec could not do its work.
///
/// It stays in the codec: the caller of the part throws a `CalotypeError` that says what this means for the
/// image.
enum CodecError: Error, CustomStringConvertible {
    /// The bytes end too early.
    case outOfBytes
    /// The bytes contradict their format; the text says how.
    case corrupt(String)
    /// A valid image of an unsupported kind; the text names it.
    case unsupported(String)
    /// The fast path leaves the image to libvips; the text gives the reason, for the report.
    case unusual(String)
    /// A call of libvips failed.
    ///
    /// The text is a hint for people: libvips keeps one text for all threads, so it may belong to another
    /// image.
    case library(String)
    /// A worker process ended before it replied.
    case workerEnded
    /// The system reported an error.
    case system(SystemError)

    /// What happened.
    var description: String {
        switch self {
        case .outOfBytes: "the data ends too early"
        case .corrupt(let text), .unsupported(let text), .unusual(let text), .library(let text): text
        case .workerEnded: "the worker has ended"
        case .system(let error): error.description
        }
    }
}
