/// The list of parts that ends a multipart upload.
enum CompleteDocument {
    /// The document for parts with these tags, numbered from 1.
    static func bytes(_ tags: [ObjectTag]) -> [UInt8] {
        var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for (index, tag) in tags.enumerated() {
            let tag = XMLText.encoded("\"\(tag)\"")
            text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        return Array((text + "</CompleteMultipartUpload>").utf8)
    }
}
