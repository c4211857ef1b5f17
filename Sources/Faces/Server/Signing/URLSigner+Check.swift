internal import CalotypeCore

extension URLSigner {
    /// Looks whether a server could read what is to be signed: names of options, their arguments, the source.
    ///
    /// What depends on the server is let pass: presets, limits, watermarks, local sources.
    ///
    /// - Parameters:
    ///   - path: A path with its signature, as this signer makes them.
    ///   - now: Seconds since 1970, for paths that expire.
    /// - Throws: What a server would answer.
    public static func check(_ path: String, now: Int) throws(RequestRefusal) {
        var configuration = PathConfiguration()
        configuration.presets = .everyName
        configuration.allowsSecurityOptions = true
        configuration.allowsLocal = true
        configuration.allowsData = true
        configuration.watermark = EncodedPicture(name: "", bytes: [])
        let order = try PathReader(configuration).order(path, now: now)
        if SourceKind(of: order.source) == .web { _ = try SourceKind.webURL(order.source) }
    }
}
