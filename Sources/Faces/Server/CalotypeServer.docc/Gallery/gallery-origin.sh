$ calotype origin --port 9000 --count 4 >origin.log &
$ curl --silent --fail --retry-connrefused --retry 9 http://127.0.0.1:9000/list.txt >photos.txt
