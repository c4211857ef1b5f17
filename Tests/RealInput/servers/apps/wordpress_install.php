<?php
/* Makes the tables and a user of a new WordPress, and prints an application password of that user.

   wordpress_install.php FOLDER_OF_WORDPRESS HOST USER */
define('WP_INSTALLING', true);
[, $folder, $host, $user] = $argv;
$database = new mysqli('localhost', 'root', '', '', 0, getenv('WORDPRESS_SOCKET'));
$database->query('CREATE DATABASE wordpress CHARACTER SET utf8mb4');
$_SERVER['HTTP_HOST'] = $host;
require $folder . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
$made = wp_install('Pictures', $user, "$user@example.com", false, '', wp_generate_password());
update_option('permalink_structure', '/%postname%/');
/* What an installation brings along would stand among the posts of the tests. */
foreach (get_posts(['post_type' => 'any', 'post_status' => 'any', 'numberposts' => -1]) as $post) {
    wp_delete_post($post->ID, true);
}
[$password] = WP_Application_Passwords::create_new_application_password($made['user_id'], ['name' => 'calotype']);
echo "application password: $password\n";
