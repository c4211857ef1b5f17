/// What is wrong with a value file that can be opened.
package enum BlobDamage: String, Error, Hashable, Sendable {
    /// It is a folder, a symbolic link, a device.
    case notAFile = "not a plain file"
    /// It ends before its header does, or within what the header announces.
    case truncated = "too short"
    /// It goes on after its end.
    case tooLong = "too long"
    /// It does not begin like a value file.
    case wrongMagic = "not a value file"
    /// Another version of this code wrote it.
    case wrongVersion = "another version's format"
    /// The header's checksum is wrong.
    case wrongHeader = "damaged header"
    /// The header announces more than allowed.
    case tooLarge = "larger than allowed"
    /// It holds the value of another key.
    case wrongKey = "another key's value"
    /// The checksum of metadata and value is wrong.
    case wrongChecksum = "damaged contents"
}
