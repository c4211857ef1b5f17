// Tests of a pipeline also need the clock, the executor and the events of TaskFlow's doubles.
@_exported public import TaskFlowTesting
