import CalotypeCore

extension Frame.Placement {
    /// The picture for kitty's protocol, if it is one.
    var kitty: KittyImage? {
        if case .kitty(let image) = picture.content { image } else { nil }
    }

    /// Whether it is drawn as pixels over the text.
    var isPixels: Bool {
        if case .symbols = picture.content { false } else { true }
    }

    /// Tells the places of one picture apart.
    func number(on screen: ScreenSize) -> Int { row * screen.columns + column + 1 }
}

extension KittyImage {
    /// Deletes all pictures that are seen.
    static let deletionOfAll = "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"

    /// Deletes the picture wherever it is, and its pixels.
    var deletion: String { "\u{1B}_Ga=d,d=I,i=\(number),q=2\u{1B}\\" }

    /// Deletes it in one place.
    func deletion(ofPlacement placement: Int) -> String {
        "\u{1B}_Ga=d,d=i,i=\(number),p=\(placement),q=2\u{1B}\\"
    }

    /// Sends the pixels, in pieces of at most 4,096 bytes as the protocol demands.
    var transmission: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + payload.count / 200 + 128)
        for start in stride(from: 0, to: payload.count, by: 4_096) {
            let end = min(start + 4_096, payload.count)
            let more = end < payload.count ? 1 : 0
            let format = "a=t,q=2,i=\(number),f=\(hasAlpha ? 32 : 24),s=\(size.width),v=\(size.height),"
            bytes += Array("\u{1B}_G\(start == 0 ? format : "")m=\(more);".utf8)
            bytes += payload[start..<end]
            bytes += Array("\u{1B}\\".utf8)
        }
        return bytes
    }

    /// Shows the picture that was sent before at the cursor, which stays where it is.
    func placement(number placement: Int, columns: Int, rows: Int) -> [UInt8] {
        Array("\u{1B}_Ga=p,q=2,i=\(number),p=\(placement),c=\(columns),r=\(rows),C=1\u{1B}\\".utf8)
    }
}
