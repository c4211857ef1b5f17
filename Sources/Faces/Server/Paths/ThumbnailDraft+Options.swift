internal import CalotypeCore

extension ThumbnailDraft {
    /// Applies an option other than a preset, which the reader handles.
    ///
    /// - Parameters:
    ///   - name: The option.
    ///   - option: The option as written, with its arguments.
    ///   - now: The current time in seconds since 1970.
    /// - Throws: The error response if the arguments are invalid.
    mutating func apply(
        _ name: OptionName,
        _ option: OptionArguments,
        now: Int
    ) throws(ServerError) {
        switch name {
        case .resize, .size, .resizingType, .width, .height, .minWidth, .minHeight, .zoom, .dpr, .enlarge,
            .extend, .extendAspectRatio:
            try applySize(name, option)
        case .gravity, .crop, .trim, .padding, .autoRotate, .rotate, .flip:
            try applyShape(name, option)
        case .background, .blur, .sharpen, .pixelate, .watermark:
            try applyLook(name, option)
        case .stripMetadata, .keepCopyright, .stripColorProfile, .preserveHDR, .enforceThumbnail, .quality,
            .formatQuality, .maxBytes, .format, .page, .skipProcessing, .raw:
            try applyOutput(name, option)
        case .cacheBuster, .expires, .filename, .returnAttachment, .fallbackImageURL:
            try applyDelivery(name, option, now: now)
        case .maxSourceResolution, .maxSourceFileSize, .maxAnimationFrames, .maxAnimationFrameResolution,
            .maxResultDimension:
            try applyLimit(name, option)
        case .preset: preconditionFailure("presets are the reader's")
        }
    }

    // MARK: - Sizes

    private mutating func applySize(_ name: OptionName, _ option: OptionArguments) throws(ServerError) {
        switch name {
        case .resize: return try applyResize(option)
        case .size: return try applyBox(option, most: 7)
        case .zoom: return try applyZoom(option)
        case .extend: return try Self.apply(option, to: &extended)
        case .extendAspectRatio: return try Self.apply(option, to: &extendedToAspectRatio)
        default: try option.limit(1)
        }
        switch name {
        case .resizingType: resizing = try Self.resizingType(option)
        case .width: box.width = try option.integer(0, 0...Self.mostSide)
        case .height: box.height = try option.integer(0, 0...Self.mostSide)
        case .minWidth: edits.least.width = try option.integer(0, 0...Self.mostSide)
        case .minHeight: edits.least.height = try option.integer(0, 0...Self.mostSide)
        case .dpr: edits.pixelRatio = try option.factor(most: Self.mostFactor)
        default: enlarges = option.bool()
        }
    }

    private mutating func applyResize(_ option: OptionArguments) throws(ServerError) {
        try option.limit(8)
        if option.has(0) { resizing = try Self.resizingType(option) }
        try applyBox(option.dropFirst(1), most: 7)
    }

    private mutating func applyBox(_ option: OptionArguments, most: Int) throws(ServerError) {
        try option.limit(most)
        if option.has(0) { box.width = try option.integer(0, 0...Self.mostSide) }
        if option.has(1) { box.height = try option.integer(1, 0...Self.mostSide) }
        if option.has(2) { enlarges = option.bool(2) }
        if option.has(3) { try Self.apply(option.dropFirst(3), to: &extended) }
    }

    private mutating func applyZoom(_ option: OptionArguments) throws(ServerError) {
        try option.limit(2)
        let x = try option.factor(0, most: Self.mostFactor)
        edits.zoom = ScaleFactors(x, option.count > 1 ? try option.factor(1, most: Self.mostFactor) : x)
    }

    /// The maximum factor for sizes.
    private static let mostFactor = 100.0

    private static func apply(
        _ option: OptionArguments,
        to space: inout Extension
    ) throws(ServerError) {
        try option.limit(4)
        if option.count > 1 { try space.gravity.apply(option, from: 1, .withoutAttention) }
        space.isOn = option.bool()
    }

    private static func resizingType(_ option: OptionArguments) throws(ServerError) -> ResizingType {
        guard let type = ResizingType(rawValue: option[0]) else {
            throw option.bad(0, "one of " + ResizingType.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return type
    }

    // MARK: - Shapes

    private mutating func applyShape(_ name: OptionName, _ option: OptionArguments) throws(ServerError) {
        switch name {
        case .gravity: try gravity.apply(option)
        case .crop: try applyCrop(option)
        case .trim: try applyTrim(option)
        case .padding: try applyPadding(option)
        case .autoRotate:
            try option.limit(1)
            edits.ignoresOrientation = !option.bool()
        case .rotate: try applyRotation(option)
        default:
            try option.limit(2)
            if option.has(0) { edits.flipsHorizontally = option.bool(0) }
            if option.has(1) { edits.flipsVertically = option.bool(1) }
        }
    }

    private mutating func applyCrop(_ option: OptionArguments) throws(ServerError) {
        try option.limit(5)
        let sides = 0...Double(Self.mostSide)
        cropped.width = try option.number(0, sides)
        if option.count > 1 { cropped.height = try option.number(1, sides) }
        if option.count > 2 { try cropGravity.apply(option, from: 2) }
    }

    private mutating func applyTrim(_ option: OptionArguments) throws(ServerError) {
        try option.limit(4)
        trims = option.has(0)
        if trims { trim.threshold = try option.number(0, 0...255) }
        trim.colour = option.has(1) ? try option.colour(1) : nil
        if option.has(2) { trim.isEqualHorizontally = option.bool(2) }
        if option.has(3) { trim.isEqualVertically = option.bool(3) }
    }

    /// Applies padding as in CSS: left defaults to right, and right and bottom default to the top.
    private mutating func applyPadding(_ option: OptionArguments) throws(ServerError) {
        try option.limit(4)
        let sides = 0...Self.mostSide
        if option.has(0) { edits.padding.top = try option.integer(0, sides) }
        edits.padding.right = option.has(1) ? try option.integer(1, sides) : edits.padding.top
        edits.padding.bottom = option.has(2) ? try option.integer(2, sides) : edits.padding.top
        edits.padding.left = option.has(3) ? try option.integer(3, sides) : edits.padding.right
    }

    private mutating func applyRotation(_ option: OptionArguments) throws(ServerError) {
        try option.limit(1)
        let angle = try option.integer(0, -36_000...36_000)
        guard angle.isMultiple(of: 90) else { throw option.bad(0, "a multiple of 90") }
        edits.quarterTurns = (angle / 90 % 4 + 4) % 4
    }

    // MARK: - Looks

    private mutating func applyLook(_ name: OptionName, _ option: OptionArguments) throws(ServerError) {
        switch name {
        case .watermark: return try watermark.apply(option)
        case .background: return edits.background = try Self.background(option)
        default: try option.limit(1)
        }
        switch name {
        case .blur: edits.blur = try option.number(0, 0...1_000)
        case .sharpen: edits.sharpen = try option.number(0, 0...10)
        default: edits.pixelation = try option.integer(0, 0...Self.mostSide)
        }
    }

    private static func background(_ option: OptionArguments) throws(ServerError) -> Colour? {
        switch option.count {
        case 1: return option.has(0) ? try option.colour(0) : nil
        case 3:
            var samples: [UInt8] = []
            for index in 0..<3 { samples.append(UInt8(try option.integer(index, 0...255))) }
            return Colour(red: samples[0], green: samples[1], blue: samples[2])
        default: throw option.refusal("takes one colour, or red, green and blue")
        }
    }
}
