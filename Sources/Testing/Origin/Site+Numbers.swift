extension Site {
    /// The path of the picture that has this number; with more numbers than pictures, they come again.
    ///
    /// An origin without pictures has robots instead.
    func picturePath(number: Int) -> String {
        guard let name = pictureName(number: number) else { return "/robots/picture-\(number).png" }
        return "/pictures/\(PercentCoding.encoded(name))"
    }

    /// The path of the same picture, small enough for a list of many.
    func smallPath(number: Int) -> String {
        guard let name = pictureName(number: number) else {
            return "/robots/size_150x150/picture-\(number).png"
        }
        return "/small/\(PercentCoding.encoded(name))"
    }

    /// A path that gives no picture, and says so without delay.
    func brokenPath(number: Int) -> String {
        let name = PercentCoding.encoded(pictureName(number: number) ?? "")
        switch number % 4 {
        case 0 where !name.isEmpty: return "/html/\(name)"
        case 1 where !name.isEmpty: return "/half/\(name)"
        case 2: return "/status/410"
        default: return "/status/404"
        }
    }

    /// The picture that has this number.
    func picture(number: Int) async throws -> ServedPicture {
        if let name = pictureName(number: number), let picture = try await pictures.picture(named: name) {
            return picture
        }
        throw Refusal(status: 404, message: "There is no picture of this number.")
    }

    private func pictureName(number: Int) -> String? {
        let names = pictures.names
        return names.isEmpty ? nil : names[(number - 1) % names.count]
    }
}
