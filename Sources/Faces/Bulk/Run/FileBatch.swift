internal import CalotypeCore
import CalotypeFiles

/// Files that are written together: the disk has the bytes of all before any of them gets its name.
///
/// Waiting for the disk once for many files takes a fraction of the time of waiting for each.
struct FileBatch {
    /// Number of files to write together, each with a descriptor until it has its name.
    static let usualCount = 32

    private struct Unnamed {
        let number: Int
        let name: String
        let file: AtomicFile
    }

    private let folder: OutputFolder
    private var unnamed: [Unnamed] = []
    private var failures: [CalotypeError?] = []

    init(into folder: OutputFolder) {
        self.folder = folder
    }

    /// Writes the bytes of a file; it gets its name later.
    ///
    /// - Returns: The number of the file in this batch.
    mutating func add(_ bytes: [UInt8], as name: String) -> Int {
        let number = failures.count
        do throws(CalotypeError) {
            let file = try folder.begin(bytes, as: name)
            unnamed.append(Unnamed(number: number, name: name, file: file))
            failures.append(nil)
        } catch {
            failures.append(error)
        }
        return number
    }

    /// Waits until the disk has the files.
    mutating func sync() {
        for each in unnamed { each.file.startSync() }
        for each in unnamed {
            perform(each) { file throws(SystemError) in try file.sync() }
        }
    }

    /// Gives the files their names, after ``sync()``; those of a batch that is dropped instead never appear.
    mutating func commit() {
        for each in unnamed where failures[each.number] == nil {
            perform(each) { file throws(SystemError) in try file.commit(as: each.name, synced: false) }
        }
        unnamed = []
    }

    /// Returns why a file of the batch is not in place; call it after ``commit()``.
    func failure(of number: Int) -> CalotypeError? { failures[number] }

    private mutating func perform(_ each: Unnamed, _ step: (AtomicFile) throws(SystemError) -> Void) {
        do throws(SystemError) {
            try step(each.file)
        } catch {
            failures[each.number] = OutputFolder.failure(of: each.name, error)
        }
    }
}
