internal import CalotypeCore

extension ErrorCode {
    /// No WordPress answers at the site's address.
    static let notWordPress = ErrorCode(rawValue: "not_wordpress")
    /// The site's address is another one.
    static let siteMoved = ErrorCode(rawValue: "site_moved")
    /// The user may not do what publishing takes.
    static let notAllowed = ErrorCode(rawValue: "not_allowed")
}
