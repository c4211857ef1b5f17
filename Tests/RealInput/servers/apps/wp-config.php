<?php
/* Configuration of a WordPress of the tests: what differs from one to the next is in the environment. */
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('WORDPRESS_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
/* Its addresses are those by which it is asked: the port is the kernel's choice, and a test may ask through a proxy. */
define('WP_HOME', 'http://' . $_SERVER['HTTP_HOST']);
define('WP_SITEURL', 'http://' . $_SERVER['HTTP_HOST']);
define('WP_CONTENT_DIR', getenv('WORDPRESS_CONTENT'));
define('WPLANG', '');
/* Application passwords need TLS, except on a local site. */
define('WP_ENVIRONMENT_TYPE', 'local');
/* Nothing on its own, and nobody outside. */
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT',
          'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) {
    define($name, 'of the tests: ' . $name);
}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
