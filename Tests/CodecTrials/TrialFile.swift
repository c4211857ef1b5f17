package import CalotypeCodec
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

    /// The first of `files` in formats that few tools write.
    package static func made(of files: [TrialFile], _ codec: ImageCodec) async throws -> [TrialFile] {
        let formats: [OutputFormat] = [.avif, .jxl(quality: 70), .tiff]
        let specs = formats.map { RenditionSpec(.fit(40, 30), $0) }
        let pictures = try await codec.renditions(
            of: .bytes(files[0].bytes),
            as: specs,
            limits: ImageLimits()
        )
        return pictures.compactMap { picture in
            guard case .encoded(let bytes, let format) = picture.content else { return nil }
            return TrialFile(name: "made.\(format.rawValue)", bytes: bytes)
        }
    }

    private init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    /// What its name ends with.
    package var format: String { name.split(separator: ".").last.map(String.init) ?? "" }
}
