import CalotypeSamplePictures

/// A store's record of an app.
///
/// Equal seeds and numbers give equal records.
struct AppStoreRecord: Sendable {
    /// The users' rating.
    ///
    /// The store leaves it out, or sends 0, if nobody has rated the app.
    enum Rating: Sendable {
        case missing, zero
        case stars(Double, count: Int)
    }

    let id: Int
    let name: String
    let bundleID: String
    let maker: (name: String, number: Int)
    let genre: AppStoreGenre
    let secondGenre: AppStoreGenre?
    let isForMac: Bool
    let isForTablet: Bool
    let rating: Rating
    /// The price in US cents; `nil` for an app that is not on sale yet, or no longer.
    let cents: Int?
    let version: String
    /// In seconds since 1970.
    let firstRelease: Int
    let lastRelease: Int
    let sizeBytes: Int
    let summary: String
    let notes: String?
    let phoneScreenshots: Int
    let tabletScreenshots: Int
    let artwork: AppArtwork
    /// Whether only European stores sell it.
    let isOnlyInEurope: Bool

    /// Decides between apps that match a search equally well.
    var popularity: Int {
        if case .stars(_, let count) = rating { count } else { 0 }
    }

    init(number: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed &* 0x51_7cc1 &+ UInt64(number) &* 0x9e37_79b9)
        let special = number % 7 == 3 ? number / 7 : nil
        let given = special.flatMap { $0 < AppStoreWords.special.count ? AppStoreWords.special[$0] : nil }
        let genre =
            given.map { AppStoreGenre.named($0.genre) }
            ?? AppStoreGenre.cycle[number % AppStoreGenre.cycle.count]
        self.genre = genre
        name = given?.name ?? AppStoreWords.name(genre, &random)
        id = 310_000_000 + number * 4_013_377 + random.whole(0...4_000_000)
        maker = AppStoreWords.maker(&random)
        let words = AppStoreSearchIndex.words(of: name).prefix(2).filter { $0.utf8.allSatisfy { $0 < 128 } }
        bundleID = "com.example.maker\(maker.number).\(words.joined())\(number)"
        let other = random.one(of: AppStoreGenre.all)
        secondGenre = other.id == genre.id ? nil : other
        isForMac = random.chance(0.12) && given == nil
        let isOnlyForTablet = !isForMac && random.chance(0.06)
        isForTablet = isOnlyForTablet || random.chance(0.6)
        rating = Self.rating(&random)
        cents = Self.price(&random)
        version = "\(random.whole(1...12)).\(random.whole(0...9)).\(random.whole(0...4))"
        // From 2009 to 2023; the current version is up to two years younger.
        firstRelease = 1_230_800_400 + random.whole(0...5000) * 86_400
        lastRelease = firstRelease + random.whole(0...700) * 86_400 + random.whole(0...86_399)
        sizeBytes = random.whole(2_000_000...400_000_000)
        summary = AppStoreWords.summary(name, genre, &random)
        notes = random.chance(0.8) ? random.one(of: AppStoreWords.notes) : nil
        let hasScreenshots = !random.chance(0.04)
        phoneScreenshots = hasScreenshots && !isOnlyForTablet ? random.whole(2...8) : 0
        tabletScreenshots = hasScreenshots && isForTablet && !isForMac ? random.whole(1...6) : 0
        artwork = AppArtwork(seed: random.next(), glyph: random.one(of: genre.glyphs))
        isOnlyInEurope = given == nil && random.chance(0.05)
    }

    private static func rating(_ random: inout SeededRandom) -> Rating {
        let draw = random.unit()
        if draw < 0.08 { return .missing }
        if draw < 0.11 { return .zero }
        if draw < 0.15 { return .stars(5, count: random.whole(1...3)) }
        // Most ratings are good, and most apps have few.
        let low = random.unit()
        let stars = ((4.95 - 2.6 * low * low * low) * 100_000).rounded() / 100_000
        let size = random.unit() * 14
        return .stars(stars, count: 1 + Int(Double(1 << Int(size)) * (1 + size - size.rounded(.down)) * 60))
    }

    private static func price(_ random: inout SeededRandom) -> Int? {
        if random.chance(0.03) { return nil }
        return random.one(of: [0, 0, 0, 0, 0, 0, 99, 199, 299, 499, 999, 1999])
    }
}

/// The names of apps and developers.
enum AppStoreWords {
    /// Names that are hard for a client, each with its genre: accents, emoji, scripts, lengths.
    static let special: [(name: String, genre: String)] = [
        ("Café Lumière – Photo Journal", "Photo & Video"),
        ("夜空カメラ", "Photo & Video"),
        ("Ærø Weather", "Weather"),
        ("R&D Notes + Sketches", "Productivity"),
        ("Ñandú: Running Log", "Health & Fitness"),
        ("“Quoted” Poems", "Books"),
        ("🌈 Rainbow Camera", "Photo & Video"),
        ("100% Focus? Yes!", "Productivity"),
        ("한글 노트", "Education"),
        ("Σίγμα Maths", "Education"),
        ("X", "Social Networking"),
        (
            "The Very Long Way Home: A Story Game of Trains, Ferries, Night Buses and the People One Meets There",
            "Games"
        ),
        ("مصور الصحراء", "Photo & Video"),
        ("Žofie & Łukasz – Zpěvník", "Music"),
        ("<b>Bold</b> Text Editor", "Developer Tools"),
    ]

    private static let firstParts = [
        "Tide", "Fern", "Copper", "Moon", "Ember", "North", "Quill", "Maple", "Silver", "Cloud", "Willow",
        "Sparrow",
        "Velvet", "Amber", "Juniper", "Cedar", "Polar", "Pebble", "Saffron", "Indigo", "Otter", "Heron",
        "Marble",
        "Cobalt", "Linden", "Thistle", "Larch", "Harvest", "Lantern", "Meadow", "Salt", "Wren", "Birch",
        "Coral",
    ]

    private static let qualities = [
        "Tiny", "Little", "Simply", "Daily", "Open", "Bright", "Quiet", "Pocket", "Super", "Good", "Clear",
        "Plain",
    ]

    private static let makers = [
        "Kestrel & Co", "Bright Harbour Ltd", "Möwe Software GmbH", "Fjordlys AS", "Atelier Crème",
        "Two Larches Inc.",
        "夜空工房", "Estúdio Maré", "Northfold Labs", "Ada Ahlgren", "Björn Brandt", "Chidi Eze", "Dalia Costa",
        "Emre Yıldız", "Fátima Horák", "Goro Fujita", "Hanna Ito", "Ivo Dvořák", "Saltmarsh PipelineFixture",
        "Pixel & Plum",
        "Green Kettle Software", "Quarterdeck Games", "Lanternfish Interactive", "Old Mill Apps",
        "Paper Crane Works",
        "Three Owls", "Windrose Systems", "Hill & Dale", "Sundial Labs", "The Tangerine Company",
    ]

    /// Makes up a name of one of three kinds.
    static func name(_ genre: AppStoreGenre, _ random: inout SeededRandom) -> String {
        let tagline = random.one(of: genre.taglines)
        let first = random.one(of: firstParts)
        // Avoids three equal letters, as in Quilllens.
        let noun = random.one(of: genre.nouns.filter { $0.first != first.last })
        switch random.whole(0...9) {
        case 0...3: return "\(first)\(noun) – \(tagline)"
        case 4...5: return "\(first)\(noun): \(tagline)"
        case 6...7: return "\(random.one(of: qualities)) \(noun.prefix(1).uppercased())\(noun.dropFirst())"
        default: return "\(first) \(tagline)"
        }
    }

    static func maker(_ random: inout SeededRandom) -> (name: String, number: Int) {
        // The smaller of two draws, so that few makers have many apps.
        let number = min(random.whole(0...makers.count - 1), random.whole(0...makers.count - 1))
        return (makers[number], number)
    }

    /// Returns the maker's description of an app, in two to five paragraphs.
    static func summary(_ name: String, _ genre: AppStoreGenre, _ random: inout SeededRandom) -> String {
        let first = "\(name) makes \(random.one(of: genre.taglines).lowercased()) simple."
        let rest = [
            "Start in seconds, without an account. What you do stays on your device.",
            "• Works offline\n• No advertisements\n• Follows the dark mode\n• Keyboard shortcuts on tablets",
            "New in this year: widgets, a calmer start page and a search that finds what you mean.",
            "“The one that I keep on the first page.”",
            "Questions, wishes, a word of praise? Write to us; we answer every letter.",
        ]
        return ([first] + rest.prefix(random.whole(1...4))).joined(separator: "\n\n")
    }

    static let notes = [
        "Small repairs.", "Faster start and fewer taps.", "Repairs and a new widget.",
        "Thank you for your letters!",
    ]
}
