$ kill $!
$ wait $!
$ cat gallery.log
