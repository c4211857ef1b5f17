// A program that imports the server also imports what a page beside the thumbnails needs.
@_exported public import CalotypeHTTPListener

@_exported public import struct CalotypeHTTPMessages.HTTPHeaders
@_exported public import struct CalotypeHTTPMessages.HTTPMessageError
@_exported public import struct CalotypeHTTPMessages.HeaderField
