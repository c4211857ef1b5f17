// Who tests a pipeline needs the clock, the executor and the events of TaskFlow's doubles, too.
@_exported public import TaskFlowTesting
