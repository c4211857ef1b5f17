#!/bin/sh
# Makes the shards of a planned dataset as a Slurm array: sbatch --array=0-15 slurm.sh /shared/planned
#SBATCH --requeue
#SBATCH --cpus-per-task=16
# Each task makes every n-th shard. A task that is requeued makes what is missing. There is no limit of hosts across tasks: plan
# with --rate-per-host and --per-host divided by the number of tasks.
exec "$(dirname "$0")/share.sh" "$1" "$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_COUNT"
