import CalotypeCore

extension Transform {
    /// Refuses what takes more than `limits` of the picture that `facts` tell of, and frames that it does not have.
    ///
    /// - Throws: `too_many_pixels`, `invalid_request`.
    func check(_ facts: ImageFacts, _ limits: ImageLimits) throws(CalotypeError) {
        let frames = facts.format == .png ? 1 : facts.frames ?? 1
        guard edits.frame == 0 || edits.frame < frames else {
            throw CalotypeError(
                .invalidRequest,
                "the request asks for frame \(edits.frame) of a picture that has \(frames), counted from 0",
                stage: .request
            )
        }
        let geometry = Geometry(self, of: facts)
        try limits.check(geometry.output, most: limits.pixels)
        try limits.check(geometry.kept.size, most: limits.pixels)
        if edits.looksAtAll { try limits.check(facts.storedSize, most: limits.pixels) }
        if edits.gravity == .attention, geometry.isCut {
            try limits.check(geometry.scaled, most: limits.pixels)
        }
    }
}
