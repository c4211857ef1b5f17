$ kill $!
$ wait $!
$ cat gallery.log
left out: http_404: the origin returned 404 (not found) (http://127.0.0.1:9000/status/404)
http://127.0.0.1:8080/ shows 4 photos
closed
