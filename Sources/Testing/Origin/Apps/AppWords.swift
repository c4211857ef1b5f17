import CalotypeSamplePictures

/// What apps and developers are called.
enum AppWords {
    /// Names that put a client to the test: marks, emoji, scripts, lengths; each with its genre.
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
        "Emre Yıldız", "Fátima Horák", "Goro Fujita", "Hanna Ito", "Ivo Dvořák", "Saltmarsh Studio",
        "Pixel & Plum",
        "Green Kettle Software", "Quarterdeck Games", "Lanternfish Interactive", "Old Mill Apps",
        "Paper Crane Works",
        "Three Owls", "Windrose Systems", "Hill & Dale", "Sundial Labs", "The Tangerine Company",
    ]

    /// A made-up name of one of three kinds.
    static func name(_ genre: AppGenre, _ random: inout SeededRandom) -> String {
        let tagline = random.one(of: genre.taglines)
        let first = random.one(of: firstParts)
        // No letter thrice, as in Quilllens.
        let noun = random.one(of: genre.nouns.filter { $0.first != first.last })
        switch random.whole(0...9) {
        case 0...3: return "\(first)\(noun) – \(tagline)"
        case 4...5: return "\(first)\(noun): \(tagline)"
        case 6...7: return "\(random.one(of: qualities)) \(noun.prefix(1).uppercased())\(noun.dropFirst())"
        default: return "\(first) \(tagline)"
        }
    }

    static func maker(_ random: inout SeededRandom) -> (name: String, number: Int) {
        // Few makers have many apps: the smaller of two draws.
        let number = min(random.whole(0...makers.count - 1), random.whole(0...makers.count - 1))
        return (makers[number], number)
    }

    /// What the maker says of an app, in two to five paragraphs.
    static func summary(_ name: String, _ genre: AppGenre, _ random: inout SeededRandom) -> String {
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
