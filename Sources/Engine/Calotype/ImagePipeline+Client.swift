package import CalotypeCodec
package import CalotypeHTTP

extension ImagePipeline {
    /// What the pipeline asks origins by: the faces above it share its connections and their limits.
    package var client: HTTPClient { sources.loader.client }

    /// Whose threads wait for the disk.
    package var disk: any TaskExecutor { sources.loader.disk }

    /// What its codec does now.
    package var decodeLoad: CodecLoad { codec.load }
}
