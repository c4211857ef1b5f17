/// Why a header could not be read.
enum HeaderFault: Error {
    /// The bytes end before what is wanted.
    case outOfBytes
    /// The header contradicts its format; the text says how.
    case corrupt(String)
    /// A valid picture of a kind that is not read; the text says which.
    case unsupported(String)
    /// The file could not be read; the number is the system's `errno`.
    case unreadable(Int32)
}
