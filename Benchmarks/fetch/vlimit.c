/* The limit of libvips: the pictures of a list made into JPEG thumbnails on a number of threads, from memory, without
 * network and without bookkeeping: EXIF orientation applied, metadata stripped, truncated input refused, files written.
 *
 *   vlimit LIST OUTPUT_FOLDER [BOX [QUALITY [THREADS [WORD...]]]]
 *
 * LIST holds one path per line. Output files are named by line number, as `calotype fetch` names them. Words:
 *   srgb  libvips converts to sRGB (its export_profile), which it does for pictures without a profile too, at a price:
 *         the program without it is the faster one, and gives wrong colours for pictures in other colour spaces
 *   png   writes a PNG of each thumbnail as well
 *   lock  pipelines are built and freed under one lock: see docs/decisions/0015
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <vips/vips.h>

static char **paths;
static size_t path_count;
static const char *folder;
static const char *profile;
static int also_png, locks;
static pthread_mutex_t pipelines = PTHREAD_MUTEX_INITIALIZER;
static VipsArrayDouble *white;
static int box = 256, quality = 85, thread_count = 2;
static atomic_size_t next_path, made, failed;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static void read_list(const char *list)
{
    FILE *file = fopen(list, "r");
    if (!file) die(list);
    char *line = NULL;
    size_t room = 0, slots = 0;
    ssize_t length;
    while ((length = getline(&line, &room, file)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = 0;
        if (path_count == slots) {
            slots = slots ? slots * 2 : 1024;
            if (!(paths = realloc(paths, slots * sizeof *paths))) die("list");
        }
        if (!(paths[path_count++] = strdup(line))) die("list");
    }
    free(line);
    fclose(file);
}

static void *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    void *data = NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (long)(*length = (size_t)ftell(file)) > 0) {
        rewind(file);
        data = malloc(*length);
        if (data && fread(data, 1, *length, file) != *length) {
            free(data);
            data = NULL;
        }
    }
    fclose(file);
    return data;
}

static int write_file(size_t index, const char *suffix, const void *data, size_t length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%09zu.%s", folder, index, suffix);
    FILE *file = fopen(path, "wb");
    if (!file) return -1;
    size_t written = fwrite(data, 1, length, file);
    return fclose(file) == 0 && written == length ? 0 : -1;
}

static int write_jpeg(size_t index, VipsImage *image)
{
    void *encoded = NULL;
    size_t length = 0;
    int status = vips_jpegsave_buffer(
        image, &encoded, &length, "Q", quality, "strip", TRUE, "background", white, NULL);
    if (!status) status = write_file(index, "jpg", encoded, length);
    g_free(encoded);
    return status;
}

static int write_png(size_t index, VipsImage *image)
{
    void *encoded = NULL;
    size_t length = 0;
    int status = vips_pngsave_buffer(image, &encoded, &length, "compression", 1, "strip", TRUE, NULL);
    if (!status) status = write_file(index, "png", encoded, length);
    g_free(encoded);
    return status;
}

/* Replaces a picture that can be read once by one that is in memory. */
static int into_memory(VipsImage **image)
{
    VipsImage *copy = vips_image_copy_memory(*image);
    if (!copy) return -1;
    g_object_unref(*image);
    *image = copy;
    return 0;
}

static void begin_pipeline(void)
{
    if (locks) pthread_mutex_lock(&pipelines);
}

static void end_pipeline(void)
{
    if (locks) pthread_mutex_unlock(&pipelines);
}

static int make_thumbnail(size_t index)
{
    size_t length = 0;
    void *data = read_file(paths[index], &length);
    VipsImage *image = NULL;
    if (!data) return -1;
    begin_pipeline();
    /* fail_on as an argument of the thumbnail has no effect in libvips 8.14; as an option of the loader it has. */
    int status = vips_thumbnail_buffer(data, length, &image, box, "height", box, "size", VIPS_SIZE_DOWN,
        "option_string", "[fail_on=truncated]", profile ? "export_profile" : NULL, profile, NULL);
    end_pipeline();
    if (!status && also_png) status = into_memory(&image) || write_png(index, image);
    if (!status) status = write_jpeg(index, image);
    begin_pipeline();
    if (image) g_object_unref(image);
    end_pipeline();
    free(data);
    return status;
}

static void *work(void *unused)
{
    size_t index;
    while ((index = atomic_fetch_add(&next_path, 1)) < path_count) {
        if (make_thumbnail(index) == 0)
            atomic_fetch_add(&made, 1);
        else
            atomic_fetch_add(&failed, 1);
    }
    vips_thread_shutdown();
    return unused;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: vlimit LIST OUTPUT_FOLDER [BOX [QUALITY [THREADS [srgb] [png] [lock]]]]\n");
        return 2;
    }
    folder = argv[2];
    if (argc > 3) box = atoi(argv[3]);
    if (argc > 4) quality = atoi(argv[4]);
    if (argc > 5) thread_count = atoi(argv[5]);
    for (int i = 6; i < argc; i++) {
        if (!strcmp(argv[i], "srgb")) profile = "srgb";
        also_png |= !strcmp(argv[i], "png");
        locks |= !strcmp(argv[i], "lock");
    }
    read_list(argv[1]);
    if (vips_init(argv[0])) vips_error_exit(NULL);
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    white = vips_array_double_newv(1, 255.0);

    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_t threads[64];
    if (thread_count < 1 || thread_count > 64) thread_count = 2;
    for (int i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, work, NULL)) die("thread");
    for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);

    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double wall = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("made %zu, failed %zu, wall %.2f s, cpu %.2f s, %.1f images/s\n", made, failed, wall,
        seconds(usage.ru_utime) + seconds(usage.ru_stime), (double)made / wall);
    vips_area_unref(VIPS_AREA(white));
    return failed ? 1 : 0;
}
