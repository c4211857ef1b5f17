import CalotypeCore
import CalotypeFiles

/// The columns of a dataset's metadata: those of img2dataset, in its order, and the error code.
struct SampleSchema: Hashable, Sendable {
    /// Whether the field after ``extras`` is a caption.
    let hasCaption: Bool
    /// The other columns of the list to keep, in the order of a sample's fields.
    let extras: [String]
    /// The name of the hash's column; `nil` for none.
    let hash: String?
    /// The sides of the boxes for further pictures, each of which has columns for its size.
    let otherSides: [Int]
    /// Whether there are columns for the perceptual hash and near duplicates.
    let hasPerceptualHash: Bool
    /// The names of ``extras`` as they are written in JSON, without quotes.
    private let extraKeys: [String]

    init(
        hasCaption: Bool,
        extras: [String],
        hash: String?,
        otherSides: [Int] = [],
        hasPerceptualHash: Bool = false
    ) {
        self.hasCaption = hasCaption
        self.extras = extras
        self.hash = hash
        self.otherSides = otherSides
        self.hasPerceptualHash = hasPerceptualHash
        extraKeys = extras.map { String(JSONObject.quoted($0).dropFirst().dropLast()) }
    }

    /// Names that a column of the list cannot have.
    static let reserved: Set<String> = [
        "key", "caption", "url", "width", "height", "original_width", "original_height", "status",
        "error_message", "error_code", "exif", "md5", "sha256", "sha512", "phash", "near_duplicate_of",
    ]

    /// The names of the columns for the sizes of further pictures.
    var sizeColumns: [String] { otherSides.flatMap { ["width_\($0)", "height_\($0)"] } }

    /// Returns the endings of a sample's pictures: `jpg`, and `512.jpg` for a further one.
    func endings(_ ending: String) -> [String] { [ending] + otherSides.map { "\($0).\(ending)" } }

    /// Returns the names of the columns of pictures in a table: `jpg`, and `jpg_512` for a further one.
    func pictureNames(_ ending: String) -> [String] { [ending] + otherSides.map { "\(ending)_\($0)" } }

    /// The values of ``sizeColumns``.
    func sizes(of sample: Sample) -> [Int?] {
        otherSides.indices.flatMap { index -> [Int?] in
            let size = sample.others.indices.contains(index) ? sample.others[index].size : nil
            return [size?.width, size?.height]
        }
    }

    /// Returns the caption of a sample; `nil` if there is none.
    func caption(of sample: Sample) -> String? {
        hasCaption && sample.fields.indices.contains(extras.count) ? sample.fields[extras.count].text : nil
    }

    /// Returns the JSON of a successful sample, as it lies beside its picture.
    ///
    /// Readers such as Hugging Face's take the type of a key from the first samples. So a caption or
    /// near duplicate that is missing is an empty text, never `null`.
    func json(of sample: Sample, key: String) -> String {
        var object = JSONObject()
        addFields(of: sample, to: &object, emptyCaption: "")
        object.add("url", string: sample.url)
        object.add("key", string: key)
        object.add("status", string: sample.status.rawValue)
        object.add("error_message", string: sample.message)
        addPicture(of: sample, to: &object, emptyText: "")
        return object.text
    }

    /// Returns the line of a sample in the metadata of its shard.
    func line(of sample: Sample, key: String) -> String {
        var object = JSONObject()
        addFields(of: sample, to: &object, emptyCaption: nil)
        object.add("url", string: sample.url)
        object.add("key", string: key)
        object.add("status", string: sample.status.rawValue)
        object.add("error_message", string: sample.message)
        addPicture(of: sample, to: &object, emptyText: nil)
        object.add("error_code", string: sample.code?.rawValue)
        return object.text
    }

    private func addFields(of sample: Sample, to object: inout JSONObject, emptyCaption: String?) {
        for (name, field) in zip(extraKeys, sample.fields) {
            switch field {
            case .null: object.add(name, string: nil)
            case .text(let text): object.add(name, string: text)
            case .json(let text): object.add(name, text)
            }
        }
        if hasCaption { object.add("caption", string: caption(of: sample) ?? emptyCaption) }
    }

    private func addPicture(of sample: Sample, to object: inout JSONObject, emptyText: String?) {
        object.add("width", sample.size?.width)
        object.add("height", sample.size?.height)
        object.add("original_width", sample.originalSize?.width)
        object.add("original_height", sample.originalSize?.height)
        object.add("exif", string: sample.status == .success ? sample.exif ?? "{}" : sample.exif)
        if let hash { object.add(hash, string: sample.hash) }
        for (name, number) in zip(sizeColumns, sizes(of: sample)) { object.add(name, number) }
        guard hasPerceptualHash else { return }
        object.add("phash", string: sample.perceptualHash.map(PerceptualHash.text))
        object.add("near_duplicate_of", string: sample.nearDuplicate ?? emptyText)
    }
}
