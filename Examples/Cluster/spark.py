"""Makes the shards of a planned dataset with Spark: spark-submit spark.py /shared/planned [TASKS]

Spark starts a task again that has failed, and it makes the shards that are missing. There is no limit of hosts across tasks: plan
with --rate-per-host and --per-host divided by the number of tasks that run at a time. Give each task a whole machine
(spark.task.cpus): a worker uses all cores. The calotype command and package must be on all machines.
"""

import sys

from pyspark.sql import SparkSession

import calotype


def main(folder: str, tasks: int) -> None:
    spark = SparkSession.builder.appName("calotype").getOrCreate()
    names = calotype.Plan(folder).undone()
    made = spark.sparkContext.parallelize(names, tasks).mapPartitions(lambda part: [calotype.make_shards(folder, part)]).sum()
    print(f"{made} shards")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 16)
