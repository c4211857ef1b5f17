import CalotypeCore

extension CatalogError {
    /// The pipeline's error as a catalogue's.
    init(_ error: CalotypeError) {
        self.init(error.code, error.message, url: error.url, cause: error)
    }

    /// Whatever a search threw.
    init(any error: any Error) {
        switch error {
        case let error as CatalogError: self = error
        case let error as CalotypeError: self.init(error)
        case let failure as LoadFailure: self.init(failure.error)
        default: self.init(.searchFailed, "the search failed: \(error)", cause: error)
        }
    }

    static var pipelineClosed: CatalogError {
        CatalogError(.pipelineClosed, "the pipeline's scope has ended")
    }
}
