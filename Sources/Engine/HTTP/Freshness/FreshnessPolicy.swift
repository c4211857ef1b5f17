/// How long answers are good whose origin does not say so, and for whom they are kept.
///
/// What an origin does say always counts; the defaults follow RFC 9111, which leaves the rest to the cache.
public struct FreshnessPolicy: Hashable, Sendable {
    /// Whether pictures are given to several people; `false` by default: the program works for one user.
    ///
    /// If so, answers marked `private` are not kept, and those to requests with `Authorization` only where the origin
    /// allows it.
    public var isShared = false
    /// The part of the time since a picture's last change for which it is taken to be unchanged: 0.1.
    public var heuristicFraction = 0.1
    /// The most that ``heuristicFraction`` may give: 1 day.
    public var heuristicMaximum = Duration.seconds(86_400)
    /// How long a picture is fresh about which the origin says nothing at all, not even when it last changed: 300 s.
    public var lifetimeOfUnknown = Duration.seconds(300)
    /// How long a 404 or 410 is believed where the origin names no time: 60 s.
    public var negativeLifetime = Duration.seconds(60)
    /// How long after its end a picture may be given when its origin fails, where the origin names no time: zero, not
    /// at all.
    public var staleIfError = Duration.zero

    /// Creates the default policy.
    public init() {}

    /// Whether `response` may be kept (RFC 9111, section 3).
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The fields that were sent, `Authorization` included: see ``HTTPRequest/sentFields``.
    /// - Returns: Whether it may; not whether it is of use.
    package func isStorable(_ response: StoredResponse, request: HTTPHeaders) -> Bool {
        let control = response.cacheControl
        guard !control.has(.noStore), !CacheControl(request).has(.noStore), !response.isUnmatchable,
            isAllowed(response, hasAuthorization: request["Authorization"] != nil)
        else { return false }
        switch response.status {
        case 206, 304, 500..., ..<200: return false
        case 200, 203, 404, 410: return true
        default:
            return control.has(.isPublic) || explicitLifetime(of: response) != nil
        }
    }

    private func isAllowed(_ response: StoredResponse, hasAuthorization: Bool) -> Bool {
        guard isShared else { return true }
        let control = response.cacheControl
        guard !control.has(.isPrivate) else { return false }
        return !hasAuthorization || control.has(.isPublic) || control.has(.mustRevalidate)
            || control.sharedMaxAge != nil
    }

    /// How long `response` is fresh, counted from its age zero (RFC 9111, section 4.2.1).
    package func lifetime(of response: StoredResponse) -> Duration {
        explicitLifetime(of: response) ?? heuristicLifetime(of: response)
    }

    private func explicitLifetime(of response: StoredResponse) -> Duration? {
        let control = response.cacheControl
        if isShared, let lifetime = control.sharedMaxAge { return lifetime }
        if let lifetime = control.maxAge { return lifetime }
        return switch response.expiry {
        case .unknown: nil
        case .past: .zero
        case .at(let moment): max(moment - response.date, .zero)
        }
    }

    private func heuristicLifetime(of response: StoredResponse) -> Duration {
        switch response.status {
        case 404, 410: return negativeLifetime
        case 200, 203: break
        default: return .zero
        }
        guard let changed = response.lastModified else {
            // Who asks for revalidation does not mean that nothing is known.
            return response.cacheControl.has(.mustRevalidate) ? .zero : lifetimeOfUnknown
        }
        let seconds = Double((response.date - changed).wholeSeconds) * heuristicFraction
        // No number at all is not greater either.
        return seconds > 0
            ? .seconds(Int(min(seconds, Double(max(heuristicMaximum.wholeSeconds, 0))))) : .zero
    }
}
