$ echo http://127.0.0.1:9000/status/404 >>photos.txt
$ swift build 2>build.log
$ swift run --skip-build gallery $(cat photos.txt)
