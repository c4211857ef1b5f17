#!/bin/sh
# Makes every COUNT-th shard of a planned dataset, from INDEX on: share.sh FOLDER INDEX COUNT
# Exit code 0 if all of them are complete.
set -eu
folder=$1 index=$2 count=$3
orders=$(mktemp -u)
mkfifo -m 600 "$orders"
trap 'rm -f "$orders"' EXIT
# A worker that has ended ends the loop below, not this script.
trap '' PIPE
shards() { awk -v i="$index" -v n="$count" '(NR - 1) % n == i' "$folder/.calotype/plan/order"; }

calotype worker "$folder" < "$orders" > /dev/null &
worker=$!
exec 3> "$orders"
echo '{"op":"lease","seconds":30}' >&3
shards | while read -r shard; do echo "{\"op\":\"shard\",\"id\":\"$shard\"}"; done >&3
echo '{"op":"drain"}' >&3
# This script is the driver: the lease ends with it.
while kill -0 "$worker" 2> /dev/null; do
    echo '{"op":"lease","seconds":30}' >&3 || break
    sleep 5
done
wait "$worker"
for shard in $(shards); do test -e "$folder/${shard}_stats.json"; done
