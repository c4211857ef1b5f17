#pragma once
#include <sqlite3.h>

/* sqlite3_db_config has a variable argument list, which Swift cannot call. */
static inline int calotype_sqlite3_keep_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
