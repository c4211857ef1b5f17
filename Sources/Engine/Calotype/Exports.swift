// A program that imports the pipeline also imports the types that the pipeline takes and returns.
@_exported public import CalotypeCore
@_exported public import CalotypeStore
@_exported public import TaskFlow

@_exported public import protocol CalotypeCodec.ImageDecoding
@_exported public import struct CalotypeFiles.ByteCount
@_exported public import struct CalotypeHTTPMessages.HTTPMessageError
@_exported public import struct CalotypeHTTPMessages.HeaderField
@_exported public import struct CalotypeHTTPMessages.TraceContext
