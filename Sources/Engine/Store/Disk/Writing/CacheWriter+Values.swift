internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypePlatform

extension CacheWriter {
    /// The size of an entry, in the index or in a file.
    func size(of entry: StoredEntry) -> Int {
        let size = entry.metadata.count + entry.bytes.count
        return isInline(entry) ? size : size + BlobHeader.length + BlobHeader.trailerLength
    }

    private func isInline(_ entry: StoredEntry) -> Bool {
        entry.metadata.count + entry.bytes.count <= service.configuration.inlineLimit.bytes
    }

    /// Writes the entry's value file and returns its row; `nil`, counted as dropped, if the entry is not
    /// stored.
    func draft(
        _ key: Digest,
        _ entry: StoredEntry,
        _ old: IndexRow?,
        _ pause: inout WritePause?
    ) -> DiskIndex.Draft? {
        let size = size(of: entry)
        let segment = old?.segment ?? eviction.place(key.tag, ByteCount(size))
        guard pause == nil, let segment, size <= service.configuration.limit.bytes else {
            service.publish { $0.dropped += 1 }
            return nil
        }
        let created = service.milliseconds()
        do throws(SystemError) {
            let isInline = isInline(entry)
            let generation = isInline ? index.nextGeneration() : try writeFile(key, entry, created)
            return DiskIndex.Draft(
                key: key,
                segment: segment,
                size: size,
                generation: generation,
                createdMilliseconds: created,
                metadata: entry.metadata,
                bytes: isInline ? entry.bytes : nil
            )
        } catch {
            service.publish { $0.dropped += 1 }
            // A value that is too large says nothing about the disk.
            if error.code != EFBIG { pause = WritePause(error) }
            return nil
        }
    }

    /// Writes the value file under a generation that no file has, and returns the generation.
    private func writeFile(_ key: Digest, _ entry: StoredEntry, _ created: Int64) throws(SystemError) -> Int64
    {
        while true {
            let generation = index.nextGeneration()
            do throws(SystemError) {
                try writeFile(CacheFolder.blobName(key, generation), key, entry, created)
                return generation
            } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
    }

    private func writeFile(
        _ name: String,
        _ key: Digest,
        _ entry: StoredEntry,
        _ created: Int64
    ) throws(SystemError) {
        let root = index.folder.root
        do throws(SystemError) {
            try BlobFile.write(entry, key: key, createdMilliseconds: created, as: name, in: root)
        } catch {
            guard error.code == ENOENT else { throw error }
            try index.folder.makeBlobFolder(for: key)
            try BlobFile.write(entry, key: key, createdMilliseconds: created, as: name, in: root)
        }
    }

    /// Removes the files of a key that must be removed.
    ///
    /// Only needed for a rebuilt index, which would take the files for values that lost their rows.
    func removeUnknownFiles(of key: Digest) {
        if index.isRecovering { index.folder.removeBlobs(of: key) }
    }

    func removeFile(of draft: DiskIndex.Draft?) {
        guard let draft, draft.bytes == nil else { return }
        index.folder.removeFile(CacheFolder.blobName(draft.key, draft.generation))
    }

    func removeFile(of row: IndexRow?) {
        if let name = row?.fileName { index.folder.removeFile(name) }
    }
}
