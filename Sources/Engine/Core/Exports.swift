// Requests have header fields.
@_exported public import struct CalotypeHTTPMessages.HeaderField
@_exported public import struct CalotypeHTTPMessages.HTTPMessageError
