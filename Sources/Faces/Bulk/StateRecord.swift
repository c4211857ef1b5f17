internal import CalotypeCore

/// What is known of the files that a run has made of an entry: one line of the state file.
struct StateRecord: Equatable {
    /// One file.
    struct Made: Equatable {
        /// The size in the file's name, where it has one.
        var label: Int?
        /// The name's end.
        var format: ImageFormat
        var bytes: Int
        var size: PixelSize

        func fileName(of index: Int) -> String {
            FileName.name(index: index, size: label, extension: format.fileExtension)
        }
    }

    var index: Int
    /// The hash of the URL: entries stay small however long the URLs are.
    var url: UInt128
    /// The hash of the options that shaped the pictures.
    var options: UInt128
    /// Whether that is all that the options ask for; of what is not, a later run makes all anew.
    var isComplete = true
    /// Whether this run has made all that was asked for, or found it; not in the state file.
    var isOfThisRun = false
    /// The first file, not in an array because most entries have no other.
    var first: Made
    var others: [Made] = []
    var sourceSize: PixelSize
    var sourceFormat: ImageFormat
    var sourceFrames: Int?
    var sourceBytes: Int

    var made: [Made] { [first] + others }

    var fileNames: [String] { made.map { $0.fileName(of: index) } }
}
