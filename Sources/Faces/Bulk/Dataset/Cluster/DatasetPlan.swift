import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform

/// The plan of a dataset that several machines make; it never changes.
///
/// It is a folder `plan` beside the unfinished work of the dataset: a file with the lines of each shard, the order
/// in which to hand the shards out, and `manifest`, which is written last.
public struct DatasetPlan: Hashable, Sendable {
    /// The number of samples of the dataset.
    public let samples: Int
    /// The number of samples of each shard but the last.
    public let samplesPerShard: Int
    /// The number of shards at the end that others must not wait for: they have the entries of large hosts.
    public let tailShards: Int
    /// The options of `calotype dataset`, as words of a command line.
    public let words: [String]

    static let folderName = "plan"
    static let manifestName = "manifest"
    static let orderName = "order"
    private static let title = "calotype plan 1"

    init(samples: Int, samplesPerShard: Int, tailShards: Int, words: [String]) {
        self.samples = samples
        self.samplesPerShard = samplesPerShard
        self.tailShards = tailShards
        self.words = words
    }

    /// Reads the plan of the dataset in the folder `path`.
    ///
    /// - Throws: ``BulkError`` if there is none, or if another version has made it.
    public init(path: String) throws(BulkError) {
        let name = "\(path)/\(DatasetFolder.workName)/\(Self.folderName)/\(Self.manifestName)"
        let text: String
        do throws(SystemError) {
            let file = try OpenFile(name, O_RDONLY)
            text = String(decoding: try file.read(Int(file.status().st_size), at: 0), as: UTF8.self)
        } catch {
            throw BulkError("\(path) has no plan: \(error); make one with calotype dataset plan")
        }
        let lines = text.split(separator: "\n").map {
            $0.split(separator: " ", maxSplits: 1).map(String.init)
        }
        var numbers: [String: Int] = [:]
        for line in lines where line.count == 2 { numbers[line[0]] = Int(line[1]) }
        guard text.hasPrefix(Self.title + "\n"), let samples = numbers["samples"], samples > 0,
            let perShard = numbers["samples-per-shard"], perShard > 0
        else { throw BulkError("the plan of \(path) is damaged, or another version has made it") }
        self.init(
            samples: samples,
            samplesPerShard: perShard,
            tailShards: numbers["tail-shards"] ?? 0,
            words: lines.filter { $0.count == 2 && $0[0] == "option" }.map { $0[1] }
        )
    }

    var text: String {
        let numbers = [
            "samples \(samples)", "samples-per-shard \(samplesPerShard)", "tail-shards \(tailShards)",
        ]
        return ([Self.title] + numbers + words.map { "option \($0)" }).map { $0 + "\n" }.joined()
    }

    /// The number of shards.
    public var shards: Int { (samples + samplesPerShard - 1) / samplesPerShard }
}

/// The lines of a shard in a plan.
extension ListItem {
    private static let names = ["url", "code", "message"]

    /// The entry as a JSON object.
    var planLine: String {
        var object = JSONObject()
        object.add("url", string: url)
        if let reason = invalidReason {
            object.add("code", string: reason.code.rawValue)
            object.add("message", string: reason.message)
        }
        for (index, field) in fields.enumerated() {
            switch field {
            case .null: break
            case .text(let text): object.add("t\(index)", string: text)
            case .json(let text): object.add("j\(index)", string: text)
            }
        }
        return object.text
    }

    /// Reads an entry with `count` fields.
    init(planLine bytes: [UInt8], index: Int, fields count: Int) throws(BulkError) {
        let columns = (0..<count).flatMap { ["t\($0)", "j\($0)"] }
        let values = try JSONRow.fields(Self.names + columns, in: bytes)
        guard let url = values[0].text else { throw BulkError("it has no URL") }
        let reason = values[1].text.map {
            InvalidReason(code: ErrorCode(rawValue: $0), message: values[2].text ?? "")
        }
        let fields = (0..<count).map { index -> ListField in
            if let text = values[Self.names.count + 2 * index].text { return .text(text) }
            return values[Self.names.count + 2 * index + 1].text.map(ListField.json) ?? .null
        }
        self.init(index: index, url: url, invalidReason: reason, fields: fields)
    }
}
