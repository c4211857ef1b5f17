<?php
/* Serves a WordPress by PHP's built-in server: uploads from the folder of this site, files of WordPress as they are, and all
   else by its index. */
$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$content = realpath(getenv('WORDPRESS_CONTENT') . substr($path, strlen('/wp-content')));
if (str_starts_with($path, '/wp-content/uploads/') && $content && is_file($content)) {
    header('Content-Type: ' . mime_content_type($content));
    header('Content-Length: ' . filesize($content));
    readfile($content);
    return true;
}
if ($path !== '/' && is_file($_SERVER['DOCUMENT_ROOT'] . $path)) {
    return false;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
