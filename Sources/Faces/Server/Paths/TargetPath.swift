internal import CalotypeCore

/// The target of a request for an image, split into the signature and the signed part.
struct TargetPath: Hashable, Sendable {
    /// The purpose of the target.
    let purpose: ThumbnailRequest.Purpose
    let signature: Substring
    /// The part after the signature and its slash, in the form that was signed.
    let rest: String

    /// Splits `target`.
    init(_ target: String, prefix: String) throws(ServerError) {
        let path = try Self.path(target, prefix: prefix)
        switch TargetKind(path: path) {
        case .picture:
            purpose = .picture
            (signature, rest) = try Self.split(path)
        case .information:
            purpose = .information
            (signature, rest) = try Self.split(path.dropFirst(TargetKind.informationSegment.utf8.count + 1))
        case .reserved(let segment):
            throw .invalid("paths that begin with /\(segment) are reserved")
        }
    }

    /// Returns the path of `target` without prefix, query and first slash.
    static func path(_ target: String, prefix: String) throws(ServerError) -> Substring {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard path.starts(with: prefix.utf8) else {
            throw .invalid("the path does not begin with \(prefix)")
        }
        let rest = path.dropFirst(prefix.utf8.count)
        guard rest.first.map({ $0 == UInt8(ascii: "/") }) ?? true else {
            throw .invalid("the path does not begin with \(prefix)/")
        }
        return Substring(rest.dropFirst())
    }

    private static func split(_ path: Substring) throws(ServerError) -> (Substring, String) {
        let signature = path.utf8.prefix { $0 != UInt8(ascii: "/") }
        let rest = Substring(path.utf8[signature.endIndex...].dropFirst())
        guard !signature.isEmpty, !rest.isEmpty else {
            throw .invalid("the path is not /SIGNATURE/OPTIONS/SOURCE")
        }
        return (Substring(signature), denormalised(rest))
    }

    // MARK: - What proxies change

    /// Undoes changes by proxies: escaped colons in options, and merged double slashes in a plain source.
    static func denormalised(_ rest: Substring) -> String {
        var bytes = Array(rest.utf8)
        if bytes.first == UInt8(ascii: "/") { bytes.removeFirst() }
        let source = plainSource(bytes)
        let options = withColons(bytes[..<(source ?? bytes.endIndex)])
        return String(decoding: options + withSlashes(bytes[(source ?? bytes.endIndex)...]), as: UTF8.self)
    }

    /// Returns the index where a plain source starts.
    private static func plainSource(_ bytes: [UInt8]) -> Int? {
        let marker = Array("plain/".utf8)
        var start = 0
        while start < bytes.count {
            if bytes[start...].starts(with: marker) { return start + marker.count }
            guard let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
            start = slash + 1
        }
        return nil
    }

    private static func withColons(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let isEscape = bytes[index] == UInt8(ascii: "%") && bytes[index...].starts(with: "%3A".utf8)
            result.append(isEscape ? UInt8(ascii: ":") : bytes[index])
            index += isEscape ? 3 : 1
        }
        return result
    }

    /// Restores the slashes of a URL whose scheme is followed by only one.
    private static func withSlashes(_ url: ArraySlice<UInt8>) -> [UInt8] {
        let scheme = url.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
        let rest = url[scheme.endIndex...]
        guard !scheme.isEmpty, rest.starts(with: ":/".utf8), let next = rest.dropFirst(2).first,
            next != UInt8(ascii: "/")
        else { return Array(url) }
        let slashes = scheme.elementsEqual("local".utf8) ? "///" : "//"
        return Array(scheme) + Array(":\(slashes)".utf8) + Array(rest.dropFirst(2))
    }
}

/// The kind of a request's target, determined by its first segment.
public enum TargetKind: Hashable, Sendable {
    /// An image: the first segment is a signature.
    case picture
    /// Information about a source: `/info`, a signature and the rest of an image's path.
    case information
    /// A page of the server itself, such as `/health`; the value is the first segment without slashes.
    case reserved(String)

    /// The first segments that are not signatures, in addition to the one for ``information``.
    public static let reservedSegments: Set<String> = ["app", "api", "health", "metrics", "favicon.ico"]
    static let informationSegment = "info"

    /// Determines the kind of `path`, which has no leading slash.
    init(path: Substring) {
        let first = path.utf8.prefix { $0 != UInt8(ascii: "/") }
        let segment = String(Substring(first))
        if segment == Self.informationSegment {
            self = .information
        } else {
            self = Self.reservedSegments.contains(segment) ? .reserved(segment) : .picture
        }
    }
}
