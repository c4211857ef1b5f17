// Whoever imports the pipeline gets the values it takes and gives.
@_exported public import CalotypeCore
@_exported public import CalotypeStore
@_exported public import TaskFlow
