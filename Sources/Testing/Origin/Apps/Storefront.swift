import CalotypeSamplePictures

/// The store of a country: its currency, and how it writes a price.
struct Storefront: Sendable {
    /// How an amount is written.
    private enum Style {
        /// `$0.99`
        case before(String)
        /// `€ 0,99`
        case beforeWithComma(String)
        /// `0,99 €`
        case after(String)
        /// `¥160`: no decimals, an amount of its own for each price of a dollar.
        case whole(String, perDollar: Int)
    }

    /// Two letters (ISO 3166).
    let country: String
    /// Three letters (ISO 4217).
    let currency: String
    private let style: Style
    private let free: String

    /// The store of `country`, in letters of any case; `nil` where there is none.
    static func of(_ country: String) -> Storefront? {
        let code = country.lowercased()
        if let known = known[code] { return known }
        guard others.contains(Substring(code)) else { return nil }
        return Storefront(country: code, currency: "USD", style: .before("$"), free: "Free")
    }

    /// The price as people read it, of an amount in cents of a dollar; 0 is free.
    func text(cents: Int) -> String {
        guard cents > 0 else { return free }
        switch style {
        case .before(let sign): return sign + Self.decimal(cents, ".")
        case .beforeWithComma(let sign): return sign + Self.decimal(cents, ",")
        case .after(let sign): return Self.decimal(cents, ",") + "\u{a0}" + sign
        case .whole(let sign, let perDollar): return sign + Self.grouped((cents + 1) / 100 * perDollar)
        }
    }

    /// The amount in the store's currency.
    func amount(cents: Int) -> Double {
        if case .whole(_, let perDollar) = style { return Double((cents + 1) / 100 * perDollar) }
        return Double(cents) / 100
    }

    private static func decimal(_ cents: Int, _ point: String) -> String {
        let rest = cents % 100
        return "\(cents / 100)\(point)\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func grouped(_ number: Int) -> String {
        guard number >= 1000 else { return "\(number)" }
        let rest = String(number % 1000)
        return "\(number / 1000),\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    private static let known: [String: Storefront] = {
        let euro = Style.after("€")
        let list: [(String, String, Style, String)] = [
            ("us", "USD", .before("$"), "Free"), ("gb", "GBP", .before("£"), "Free"),
            ("au", "AUD", .before("$"), "Free"), ("ca", "CAD", .before("$"), "Free"),
            ("nz", "NZD", .before("$"), "Free"), ("ie", "EUR", .before("€"), "Free"),
            ("nl", "EUR", .beforeWithComma("€ "), "Gratis"), ("de", "EUR", euro, "Gratis"),
            ("at", "EUR", euro, "Gratis"), ("be", "EUR", euro, "Gratis"), ("it", "EUR", euro, "Gratis"),
            ("es", "EUR", euro, "Gratis"), ("fr", "EUR", euro, "Gratuit"), ("pt", "EUR", euro, "Grátis"),
            ("fi", "EUR", euro, "Maksuton"), ("gr", "EUR", euro, "Δωρεάν"),
            ("ch", "CHF", .before("CHF "), "Gratis"), ("se", "SEK", .whole("kr ", perDollar: 12), "Gratis"),
            ("dk", "DKK", .whole("kr ", perDollar: 9), "Gratis"),
            ("no", "NOK", .whole("kr ", perDollar: 12), "Gratis"),
            ("pl", "PLN", .after("zł"), "Bezpłatne"), ("cz", "CZK", .whole("Kč ", perDollar: 29), "Zdarma"),
            ("br", "BRL", .beforeWithComma("R$ "), "Grátis"),
            ("mx", "MXN", .whole("$", perDollar: 19), "Gratis"),
            ("jp", "JPY", .whole("¥", perDollar: 160), "無料"),
            ("kr", "KRW", .whole("₩", perDollar: 1500), "무료"),
            ("cn", "CNY", .whole("¥", perDollar: 8), "免费"),
            ("in", "INR", .whole("₹ ", perDollar: 99), "Free"),
            ("tr", "TRY", .whole("₺", perDollar: 40), "Ücretsiz"),
        ]
        return Dictionary(
            uniqueKeysWithValues: list.map { country, currency, style, free in
                (country, Storefront(country: country, currency: currency, style: style, free: free))
            }
        )
    }()

    /// Stores that sell in dollars.
    private static let others = Set(
        """
        ae ag ai al am ao ar az bb bg bh bj bn bo bs bt bw by bz cg cl co cr cv cy dm do dz ec ee eg fj fm gd ge gh gm \
        gt gw gy hk hn hr hu id il is jm jo ke kg kh kn kw ky kz la lb lc lk lr lt lu lv ma md mg mk ml mn mo mr ms mt \
        mu mw my mz na ne ng ni np om pa pe pg ph pk pw py qa ro rs ru sa sb sc sg si sk sl sn sr st sv sz tc td th tj \
        tm tn tt tw tz ua ug uy uz vc ve vg vn ye za zm zw
        """.split(separator: " ")
    )
}
