/// What stands before a part of a form (RFC 7578, section 4).
struct PartHead: Sendable {
    /// The field's name.
    let name: String
    /// What the file is called, where the part is one.
    let fileName: String?
    /// What the client says of what it is.
    let mediaType: String?

    /// Reads the lines; `nil` where they make no sense.
    init?(_ bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var fields: [String: String] = [:]
        for line in text.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        guard let disposition = fields["content-disposition"], disposition.hasPrefix("form-data"),
            let name = Self.parameter("name", in: disposition)
        else { return nil }
        self.name = name
        fileName = Self.parameter("filename", in: disposition)
        mediaType = fields["content-type"]
    }

    /// The value of a parameter such as `; name="file"`, whose quotes and line ends are written as browsers write them.
    static func parameter(_ name: String, in field: String) -> String? {
        var rest = field[...]
        while let mark = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: mark)...].drop { $0 == " " }
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let key = rest[..<equals]
            let value = Self.value(&rest, from: rest.index(after: equals))
            if key.lowercased() == name { return value }
        }
        return nil
    }

    /// The value that begins at `start`; `rest` is then what follows it.
    private static func value(_ rest: inout Substring, from start: String.Index) -> String {
        rest = rest[start...]
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != ";" }
            rest = rest[value.endIndex...]
            return String(value)
        }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            let isEscape = character == "\\" && (rest.first == "\"" || rest.first == "\\")
            value.append(isEscape ? rest.removeFirst() : character)
        }
        return value.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
    }
}
