/// The options of a path, by their long names.
public enum OptionName: String, CaseIterable, Hashable, Sendable {
    case resize, size
    case resizingType = "resizing_type"
    case width, height
    case minWidth = "min-width"
    case minHeight = "min-height"
    case zoom, dpr, enlarge, extend
    case extendAspectRatio = "extend_aspect_ratio"
    case gravity, crop, trim, padding
    case autoRotate = "auto_rotate"
    case rotate, flip, background, blur, sharpen, pixelate, watermark
    case stripMetadata = "strip_metadata"
    case keepCopyright = "keep_copyright"
    case stripColorProfile = "strip_color_profile"
    case preserveHDR = "preserve_hdr"
    case enforceThumbnail = "enforce_thumbnail"
    case quality
    case formatQuality = "format_quality"
    case maxBytes = "max_bytes"
    case format, page
    case skipProcessing = "skip_processing"
    case raw
    case cacheBuster = "cachebuster"
    case expires, filename
    case returnAttachment = "return_attachment"
    case fallbackImageURL = "fallback_image_url"
    case preset
    case maxSourceResolution = "max_src_resolution"
    case maxSourceFileSize = "max_src_file_size"
    case maxAnimationFrames = "max_animation_frames"
    case maxAnimationFrameResolution = "max_animation_frame_resolution"
    case maxResultDimension = "max_result_dimension"

    /// The alternative names in paths.
    public var shortNames: [String] {
        switch self {
        case .resize: ["rs"]
        case .size: ["s"]
        case .resizingType: ["rt"]
        case .width: ["w"]
        case .height: ["h"]
        case .minWidth: ["mw"]
        case .minHeight: ["mh"]
        case .zoom: ["z"]
        case .dpr, .raw: []
        case .enlarge: ["el"]
        case .extend: ["ex"]
        case .extendAspectRatio: ["extend_ar", "exar"]
        case .gravity: ["g"]
        case .crop: ["c"]
        case .trim: ["t"]
        case .padding: ["pd"]
        case .autoRotate: ["ar"]
        case .rotate: ["rot"]
        case .flip: ["fl"]
        case .background: ["bg"]
        case .blur: ["bl"]
        case .sharpen: ["sh"]
        case .pixelate: ["pix"]
        case .watermark: ["wm"]
        case .stripMetadata: ["sm"]
        case .keepCopyright: ["kcr"]
        case .stripColorProfile: ["scp"]
        case .preserveHDR: ["ph"]
        case .enforceThumbnail: ["eth"]
        case .quality: ["q"]
        case .formatQuality: ["fq"]
        case .maxBytes: ["mb"]
        case .format: ["f", "ext"]
        case .page: ["pg"]
        case .skipProcessing: ["skp"]
        case .cacheBuster: ["cb"]
        case .expires: ["exp"]
        case .filename: ["fn"]
        case .returnAttachment: ["att"]
        case .fallbackImageURL: ["fiu"]
        case .preset: ["pr"]
        case .maxSourceResolution: ["msr"]
        case .maxSourceFileSize: ["msfs"]
        case .maxAnimationFrames: ["maf"]
        case .maxAnimationFrameResolution: ["mafr"]
        case .maxResultDimension: ["mrd"]
        }
    }

    /// Whether the option changes a limit that protects the server.
    public var isSecurity: Bool {
        switch self {
        case .maxSourceResolution, .maxSourceFileSize, .maxAnimationFrames, .maxAnimationFrameResolution,
            .maxResultDimension:
            true
        default: false
        }
    }

    /// Finds the option by its long or short name.
    public init?(name: some StringProtocol) {
        guard let option = Self.byName[String(name)] else { return nil }
        self = option
    }

    private static let byName = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { option in
            ([option.rawValue] + option.shortNames).map { ($0, option) }
        }
    )

    /// All names, long ones first.
    static let allNames = allCases.map(\.rawValue) + allCases.flatMap(\.shortNames)

    /// The names of imgproxy's options that are not supported here.
    static let unsupportedNames: Set<String> = [
        "resizing_algorithm", "ra", "objects_position", "obj_pos", "op", "crop_aspect_ratio", "crop_ar",
        "car",
        "background_alpha", "bga", "adjust", "a", "brightness", "br", "contrast", "co", "saturation", "sa",
        "monochrome", "mc", "duotone", "dt", "unsharp_masking", "ush", "blur_areas", "ba", "progressive_blur",
        "pbl", "blur_detections", "bd", "draw_detections", "dd", "crop_objects", "colorize", "col",
        "gradient",
        "gr", "watermark_url", "wmu", "watermark_text", "wmt", "watermark_size", "wms", "watermark_rotate",
        "wm_rot", "wmr", "watermark_shadow", "wmsh", "style", "st", "dpi", "color_profile", "cp", "icc",
        "autoquality", "aq", "jpeg_options", "jpgo", "png_options", "pngo", "webp_options", "webpo",
        "avif_options", "avifo", "jxl_options", "jxlo", "pages", "pgs", "disable_animation", "da",
        "video_thumbnail_second", "vts", "video_thumbnail_keyframes", "vtk", "video_thumbnail_tile", "vtt",
        "video_thumbnail_animation", "vta", "bypass_cache", "bc", "cache_tags", "ct", "hashsum", "hs",
    ]
}
