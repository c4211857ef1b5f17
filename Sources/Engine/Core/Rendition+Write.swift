extension Rendition {
    /// Writes the picture to `path`, in place of what is there; the file appears complete or not at all.
    ///
    /// Links are followed; a device or a FIFO is written to. Blocks while the disk is busy, and until somebody reads from a FIFO.
    ///
    /// - Throws: `storage_failed`.
    public func write(to path: String) throws(CalotypeError) {
        do {
            try AtomicFile.write(bytes, to: path)
        } catch {
            throw CalotypeError(.storageFailed, "\(path): \(error)", stage: .store, cause: error)
        }
    }
}
