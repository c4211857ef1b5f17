package import CalotypeCore
internal import CalotypePlatform

/// An encoded picture in memory, named by its file.
package struct TrialFile: Sendable {
    package let name: String
    package let bytes: [UInt8]

    /// Reads the file at `path`.
    package init(path: String) throws(CalotypeError) {
        name = path.split(separator: "/").last.map(String.init) ?? path
        bytes = try CodecTrial.bytes(path)
    }

    /// The files that `list` names, one path a line.
    package static func listed(in list: String) throws(CalotypeError) -> [String] {
        String(decoding: try CodecTrial.bytes(list), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// What its name ends with.
    package var format: String { name.split(separator: ".").last.map(String.init) ?? "" }
}
