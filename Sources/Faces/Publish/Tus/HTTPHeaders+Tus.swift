internal import CalotypeHTTP

extension HTTPHeaders {
    /// How much of the upload the server says that it has.
    var tusOffset: Int? { tusNumber("Upload-Offset") }

    /// The number in a field; `nil` where there is none, or something that is no number of bytes.
    func tusNumber(_ name: String) -> Int? {
        guard let text = self[name], !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// When the upload expires, by the clock of this machine, whatever the server's clock says.
    func tusExpiry(now: WallTime) -> WallTime? {
        guard let moment = HTTPDate.moment(self["Upload-Expires"], now: now) else { return nil }
        guard let date = HTTPDate.moment(self["Date"], now: now) else { return moment }
        return now + (moment - date)
    }
}
