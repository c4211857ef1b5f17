/// A JSON value, and where it begins in its text.
struct LocatedJSON {
    /// A field of an object.
    struct Field {
        let name: String
        /// Where the name begins.
        let offset: Int
        let value: LocatedJSON
    }

    enum Value {
        case null
        case truth(Bool)
        case number(Double)
        case text(String)
        case list([LocatedJSON])
        /// The names are all different.
        case object([Field])
    }

    let value: Value
    let offset: Int

    /// Says what is wrong with this value.
    func fault(_ reason: String) -> JSONFault {
        JSONFault(offset: offset, reason: reason)
    }

    /// What it is, to be said where it should be something else.
    var kind: String {
        switch value {
        case .null: "null"
        case .truth: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .list: "an array"
        case .object: "an object"
        }
    }
}
