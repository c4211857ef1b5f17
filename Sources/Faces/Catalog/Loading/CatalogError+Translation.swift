import CalotypeCore
import CalotypeHTTP

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

    /// The same error with the URL it concerns, without credentials, unless it names one already.
    func at(_ url: String) -> CatalogError {
        guard self.url == nil else { return self }
        var copy = self
        // What is no URL is what the error is about.
        copy.url = try? WebURL(url).text
        return copy
    }

    static var pipelineClosed: CatalogError {
        CatalogError(.pipelineClosed, "the pipeline's scope has ended")
    }
}
