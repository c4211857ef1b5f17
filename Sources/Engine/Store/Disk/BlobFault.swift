package import CalotypeCore

/// Why a value file could not be read.
package enum BlobFault: Error, CustomStringConvertible {
    /// The file is of no use, now and later.
    case damaged(BlobDamage)
    /// The system refused; the file may be good.
    case system(SystemError)

    package var description: String {
        switch self {
        case .damaged(let damage): damage.rawValue
        case .system(let error): error.description
        }
    }
}
