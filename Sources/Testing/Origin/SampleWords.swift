/// Names and titles that belong to numbers.
enum SampleWords {
    private static let firstNames = [
        "Ada", "Björn", "Chidi", "Dalia", "Emre", "Fátima", "Goro", "Hanna", "Ivo", "Jana",
    ]
    private static let lastNames = [
        "Ahlgren", "Brandt", "Costa", "Dvořák", "Eze", "Fujita", "Grünwald", "Horák", "Ito",
    ]
    private static let qualities = [
        "quiet", "bright", "sunny", "distant", "broad", "gentle", "steep", "misty",
    ]
    private static let things = [
        "harbour", "meadow", "street", "ridge", "garden", "shore", "bridge", "window", "field",
    ]

    /// The name of a person.
    static func name(_ number: Int) -> String {
        "\(firstNames[number % firstNames.count]) \(lastNames[number % lastNames.count])"
    }

    /// The title of a picture.
    static func title(_ number: Int) -> String {
        "a \(qualities[number % qualities.count]) \(things[number % things.count])"
    }
}
