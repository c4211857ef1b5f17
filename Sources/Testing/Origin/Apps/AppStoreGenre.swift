import CalotypeSamplePictures

/// A genre of apps: its name in the store, and what its apps are like.
struct AppStoreGenre: Sendable {
    /// As the store calls it.
    let name: String
    /// The store's number for it.
    let id: Int
    /// What comes second in made-up names.
    let nouns: [String]
    /// What stands after a name.
    let taglines: [String]
    /// What is on the icons.
    let glyphs: [AppArtwork.Glyph]
    /// How many apps there are of it for each one of a rare genre.
    let weight: Int

    private init(
        _ name: String,
        _ id: Int,
        weight: Int,
        nouns: String,
        taglines: String,
        _ glyphs: [AppArtwork.Glyph]
    ) {
        self.name = name
        self.id = id
        self.weight = weight
        self.nouns = nouns.split(separator: " ").map(String.init)
        self.taglines = taglines.split(separator: "/").map(String.init)
        self.glyphs = glyphs
    }

    static let all: [AppStoreGenre] = [
        AppStoreGenre(
            "Photo & Video",
            6008,
            weight: 8,
            nouns: "lens frame shot roll light film",
            taglines:
                "Camera & Editor/Photo Journal/Pro Camera/Photo Albums/Video Diary/Film Camera/Selfie Camera/Photo Collage",
            [.lens, .landscape, .aperture, .film]
        ),
        AppStoreGenre(
            "Music",
            6011,
            weight: 3,
            nouns: "chord tone loop beat string tune",
            taglines: "Music Player/Learn Piano/Radio & Podcasts/Drum Machine/Music Notes",
            [.note, .wave, .disc, .equaliser]
        ),
        AppStoreGenre(
            "Weather",
            6001,
            weight: 2,
            nouns: "cast front sky gauge breeze dew",
            taglines: "Weather & Radar/Local Weather/Rain Alarm/Weather Maps/Wind & Tides",
            [.sun, .cloud, .drop, .bolt, .moon]
        ),
        AppStoreGenre(
            "Productivity",
            6007,
            weight: 3,
            nouns: "list desk plan board memo mark",
            taglines: "To-Do Lists/Calendar & Tasks/Notes/Daily Planner/Focus Timer/Documents",
            [.check, .pencil, .calendar, .layers]
        ),
        AppStoreGenre(
            "Utilities",
            6002,
            weight: 2,
            nouns: "tool key scan meter box switch",
            taglines: "Calculator/Scanner/Unit Converter/Passwords/Battery & Storage",
            [.lock, .gear, .compass, .layers]
        ),
        AppStoreGenre(
            "Travel",
            6003,
            weight: 2,
            nouns: "way trip path trail stay gate",
            taglines: "Flights & Hotels/Travel Guide/City Maps/Train Times/Trip Planner",
            [.plane, .pin, .landscape, .compass]
        ),
        AppStoreGenre(
            "Health & Fitness",
            6013,
            weight: 2,
            nouns: "stride pulse step stretch breath fit",
            taglines: "Workouts/Sleep Diary/Running Log/Yoga at Home/Water Reminder/Step Counter",
            [.heart, .bars, .drop, .moon]
        ),
        AppStoreGenre(
            "Food & Drink",
            6023,
            weight: 2,
            nouns: "fork pan cup table spoon pot",
            taglines: "Recipes/Coffee Timer/Meal Planner/Restaurant Finder/Baking Book",
            [.cup, .leaf, .drop, .flame]
        ),
        AppStoreGenre(
            "Finance",
            6015,
            weight: 2,
            nouns: "ledger coin count fund penny vault",
            taglines: "Budget Planner/Expenses/Split Bills/Savings Goals/Stocks",
            [.bars, .coin, .pie, .lock]
        ),
        AppStoreGenre(
            "Education",
            6017,
            weight: 2,
            nouns: "word page class quiz lesson school",
            taglines: "Learn Languages/Flashcards/Maths Practice/Star Maps/Learn to Draw",
            [.book, .pencil, .star, .planet]
        ),
        AppStoreGenre(
            "Games",
            6014,
            weight: 4,
            nouns: "quest tiles rush island garden dots",
            taglines: "Puzzle Game/Word Game/Chess & Friends/Match & Merge/Farm Story/Racing",
            [.controller, .dice, .tiles, .star, .rocket]
        ),
        AppStoreGenre(
            "Books",
            6018,
            weight: 1,
            nouns: "page shelf verse reader margin spine",
            taglines: "Reading Log/Audio Books/Poems/Library Card",
            [.book, .layers, .moon]
        ),
        AppStoreGenre(
            "News",
            6009,
            weight: 1,
            nouns: "post wire press daily column brief",
            taglines: "News & Stories/Feed Reader/Local News/Podcasts",
            [.layers, .bolt, .wave]
        ),
        AppStoreGenre(
            "Social Networking",
            6005,
            weight: 1,
            nouns: "circle chat call hello nest ring",
            taglines: "Chat & Calls/Neighbours/Video Chat/Postcards",
            [.bubble, .heart, .wave]
        ),
        AppStoreGenre(
            "Navigation",
            6010,
            weight: 1,
            nouns: "map route pilot bearing harbour road",
            taglines: "Offline Maps/Bike Routes/Hiking Trails/Sea Charts",
            [.pin, .compass, .plane]
        ),
        AppStoreGenre(
            "Lifestyle",
            6012,
            weight: 1,
            nouns: "home garden habit hue nook bloom",
            taglines: "Habits/Plant Care/Interior Design/Diary",
            [.leaf, .heart, .sun, .paw]
        ),
        AppStoreGenre(
            "Graphics & Design",
            6027,
            weight: 1,
            nouns: "draw brush ink shape sketch grid",
            taglines: "Sketchbook/Vector Drawing/Colour Palettes/Poster Maker",
            [.pencil, .drop, .layers, .aperture]
        ),
        AppStoreGenre(
            "Developer Tools",
            6026,
            weight: 1,
            nouns: "shell patch code branch probe stack",
            taglines: "Code Editor/API Client/Terminal/Git Client",
            [.prompt, .gear, .tiles]
        ),
    ]

    /// The genres in the order of the apps: each as often as its weight says, those of the same name far apart.
    static let cycle: [AppStoreGenre] = {
        let most = all.map(\.weight).max() ?? 1
        return (0..<most).flatMap { round in all.filter { $0.weight > round } }
    }()

    /// The genre called `name`, as the special apps name it.
    static func named(_ name: String) -> AppStoreGenre {
        all.first { $0.name == name } ?? all[0]
    }
}
