package import CalotypeHTTP

extension ImagePipeline {
    /// What the pipeline asks origins by: the faces above it share its connections and their limits.
    package var client: HTTPClient { sources.loader.client }
}
