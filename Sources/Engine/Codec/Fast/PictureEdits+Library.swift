import CalotypeCore

extension PictureEdits {
    /// What of them only libvips does, in a few words for the report; `nil` where the fast path does all.
    ///
    /// `geometry` tells whether anything is cut or extended by them.
    func libraryEdit(_ geometry: Geometry) -> String? {
        if frame > 0 { return "frame \(frame)" }
        if trim != nil { return "trimmed" }
        if watermark != nil { return "a watermark" }
        if !kept.isSubset(of: .copyright) { return "metadata kept" }
        return placeEdit(geometry) ?? filterEdit
    }

    private func placeEdit(_ geometry: Geometry) -> String? {
        if crop?.gravity ?? gravity == .attention, crop != nil { return "cut by attention" }
        if gravity == .attention, geometry.isCut { return "cut by attention" }
        return geometry.canvases.isEmpty ? nil : "extended"
    }

    private var filterEdit: String? {
        if blur > 0 { return "blurred" }
        if sharpen > 0 { return "sharpened" }
        return pixelation > 1 ? "pixelated" : nil
    }
}
