import CalotypeSamplePictures

/// A genre of apps: its name in the store, and the style of its apps.
struct AppStoreGenre: Sendable {
    /// The store's name for it.
    let name: String
    /// The store's number for it.
    let id: Int
    /// How many apps it has for each app of the rarest genre.
    let weight: Int
    /// The second words of made-up names.
    let nouns: [String]
    /// The glyphs on the icons.
    let glyphs: [AppArtwork.Glyph]
    /// The text after a name.
    let taglines: [String]

    private init(_ row: Substring) {
        let parts = row.split(separator: "; ")
        guard parts.count == 6, let id = Int(parts[1]), let weight = Int(parts[2]) else {
            preconditionFailure("a genre says \(row)")
        }
        name = String(parts[0])
        self.id = id
        self.weight = weight
        nouns = parts[3].split(separator: " ").map(String.init)
        glyphs = parts[4].split(separator: " ").compactMap { AppArtwork.Glyph(rawValue: String($0)) }
        taglines = parts[5].split(separator: "/").map(String.init)
    }

    static let all = table.split(separator: "\n").map(AppStoreGenre.init)

    /// The genres in the order of the apps.
    ///
    /// Each occurs as often as its weight, evenly spread.
    static let cycle: [AppStoreGenre] = {
        let most = all.map(\.weight).max() ?? 1
        return (0..<most).flatMap { round in all.filter { $0.weight > round } }
    }()

    /// Returns the genre called `name`, as the special apps name it.
    static func named(_ name: String) -> AppStoreGenre {
        all.first { $0.name == name } ?? all[0]
    }

    /// Name, number, weight, nouns, glyphs and taglines.
    private static let table = """
        Photo & Video; 6008; 8; lens frame shot roll light film; lens landscape aperture film; \
        Camera & Editor/Photo Journal/Pro Camera/Photo Albums/Video Diary/Film Camera/Selfie Camera/Photo Collage
        Music; 6011; 3; chord tone loop beat string tune; note wave disc equaliser; \
        Music Player/Learn Piano/Radio & Podcasts/Drum Machine/Music Notes
        Weather; 6001; 2; cast front sky gauge breeze dew; sun cloud drop bolt moon; \
        Weather & Radar/Local Weather/Rain Alarm/Weather Maps/Wind & Tides
        Productivity; 6007; 3; list desk plan board memo mark; check pencil calendar layers; \
        To-Do Lists/Calendar & Tasks/Notes/Daily Planner/Focus Timer/Documents
        Utilities; 6002; 2; tool key scan meter box switch; lock gear compass layers; \
        Calculator/Scanner/Unit Converter/Passwords/Battery & Storage
        Travel; 6003; 2; way trip path trail stay gate; plane pin landscape compass; \
        Flights & Hotels/Travel Guide/City Maps/Train Times/Trip Planner
        Health & Fitness; 6013; 2; stride pulse step stretch breath fit; heart bars drop moon; \
        Workouts/Sleep Diary/Running Log/Yoga at Home/Water Reminder/Step Counter
        Food & Drink; 6023; 2; fork pan cup table spoon pot; cup leaf drop flame; \
        Recipes/Coffee Timer/Meal Planner/Restaurant Finder/Baking Book
        Finance; 6015; 2; ledger coin count fund penny vault; bars coin pie lock; \
        Budget Planner/Expenses/Split Bills/Savings Goals/Stocks
        Education; 6017; 2; word page class quiz lesson school; book pencil star planet; \
        Learn Languages/Flashcards/Maths Practice/Star Maps/Learn to Draw
        Games; 6014; 4; quest tiles rush island garden dots; controller dice tiles star rocket; \
        Puzzle Game/Word Game/Chess & Friends/Match & Merge/Farm Story/Racing
        Books; 6018; 1; page shelf verse reader margin spine; book layers moon; \
        Reading Log/Audio Books/Poems/Library Card
        News; 6009; 1; post wire press daily column brief; layers bolt wave; \
        News & Stories/Feed Reader/Local News/Podcasts
        Social Networking; 6005; 1; circle chat call hello nest ring; bubble heart wave; \
        Chat & Calls/Neighbours/Video Chat/Postcards
        Navigation; 6010; 1; map route pilot bearing harbour road; pin compass plane; \
        Offline Maps/Bike Routes/Hiking Trails/Sea Charts
        Lifestyle; 6012; 1; home garden habit hue nook bloom; leaf heart sun paw; \
        Habits/Plant Care/Interior Design/Diary
        Graphics & Design; 6027; 1; draw brush ink shape sketch grid; pencil drop layers aperture; \
        Sketchbook/Vector Drawing/Colour Palettes/Poster Maker
        Developer Tools; 6026; 1; shell patch code branch probe stack; prompt gear tiles; \
        Code Editor/API Client/Terminal/Git Client
        """
}
