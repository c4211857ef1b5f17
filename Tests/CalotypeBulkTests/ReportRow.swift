import FoundationEssentials

/// A line of the report, as another program would read it.
struct ReportRow: Decodable {
    var index: Int
    var url: String
    var status: String
    var code: String?
    var message: String?
    var file: String?
    var width: Int?
    var height: Int?
    var source_width: Int?
    var source_height: Int?
    var source_format: String?
    var source_frames: Int?
    var source_bytes: Int?
    var bytes: Int?
    var attempts: Int
    var cache: String?
    var partial: Bool?
    var decoder: String?
    var decoder_reason: String?
    var ms: [String: Double]?
    var renditions: [Made]?

    struct Made: Decodable, Equatable {
        var file: String
        var width: Int
        var height: Int
        var bytes: Int
        var format: String
    }

    static func rows(_ text: String) throws -> [ReportRow] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(ReportRow.self, from: Data($0.utf8)) }
    }
}
