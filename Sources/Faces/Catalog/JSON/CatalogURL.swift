import CalotypeCore
import CalotypeHTTP

/// A URL in an answer, before it is believed.
enum CatalogURL {
    /// Why `text` is nothing to load from; `nil` where it is.
    static func fault(_ text: String) -> String? {
        do {
            _ = try WebURL(text)
            return nil
        } catch {
            return error.message
        }
    }
}
