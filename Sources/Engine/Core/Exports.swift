// Requests have header fields and limits.
@_exported public import struct CalotypeFiles.ByteCount
@_exported public import struct CalotypeHTTPMessages.HTTPMessageError
@_exported public import struct CalotypeHTTPMessages.HeaderField
