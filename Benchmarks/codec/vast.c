/* Writes a picture as large as asked, row by row, so that it is never in memory: a baseline JPEG (4:2:0, quality 85) or a
 * PNG without interlacing. It shows smooth colours with lines, and grain: everywhere, or here and there with `smooth`.
 *
 *   vast jpeg|png WIDTH HEIGHT SEED OUTPUT [smooth]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does not include what it needs. */
#include <jpeglib.h>
#include <png.h>

static uint32_t width, height, seed;
static int smooth;

static void die(const char *what)
{
    fprintf(stderr, "vast: %s\n", what);
    exit(2);
}

static uint32_t mixed(uint32_t x, uint32_t y)
{
    uint32_t hash = seed ^ x * 0x9e3779b1u ^ y * 0x85ebca6bu;
    hash ^= hash >> 15;
    hash *= 0x2c1b3c6du;
    return hash ^ hash >> 13;
}

static void draw(uint8_t *row, uint32_t y)
{
    for (uint32_t x = 0; x < width; x++) {
        /* Grain in one of sixteen tiles: a giant stays small enough to be fetched. */
        uint32_t tile = mixed(x >> 8, y >> 8);
        uint32_t grain = smooth && (tile & 15) ? 0 : mixed(x >> 1, y >> 1) & 31;
        int line = ((x + y + seed) & 255) < 3 ? 90 : 0;
        row[3 * x] = (uint8_t)((uint64_t)x * 160 / width + grain + (uint32_t)line);
        row[3 * x + 1] = (uint8_t)((uint64_t)y * 160 / height + grain);
        row[3 * x + 2] = (uint8_t)(100 + (tile >> 8 & 31) + grain);
    }
}

static void write_jpeg(FILE *file, uint8_t *row)
{
    struct jpeg_compress_struct encoder;
    struct jpeg_error_mgr errors;
    encoder.err = jpeg_std_error(&errors);
    jpeg_create_compress(&encoder);
    jpeg_stdio_dest(&encoder, file);
    encoder.image_width = width;
    encoder.image_height = height;
    encoder.input_components = 3;
    encoder.in_color_space = JCS_RGB;
    jpeg_set_defaults(&encoder);
    jpeg_set_quality(&encoder, 85, TRUE);
    jpeg_start_compress(&encoder, TRUE);
    for (uint32_t y = 0; y < height; y++) {
        draw(row, y);
        jpeg_write_scanlines(&encoder, &row, 1);
    }
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
}

static void write_png(FILE *file, uint8_t *row)
{
    png_structp encoder = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = encoder ? png_create_info_struct(encoder) : NULL;
    if (!info) die("no memory");
    if (setjmp(png_jmpbuf(encoder))) die("libpng failed");
    png_init_io(encoder, file);
    png_set_IHDR(encoder, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, 0, 0);
    png_set_compression_level(encoder, 2);
    png_set_filter(encoder, 0, PNG_FILTER_UP);
    png_write_info(encoder, info);
    for (uint32_t y = 0; y < height; y++) {
        draw(row, y);
        png_write_row(encoder, row);
    }
    png_write_end(encoder, info);
    png_destroy_write_struct(&encoder, &info);
}

int main(int argc, char **argv)
{
    if (argc < 6) die("usage: vast jpeg|png WIDTH HEIGHT SEED OUTPUT [smooth]");
    width = (uint32_t)atoi(argv[2]);
    height = (uint32_t)atoi(argv[3]);
    seed = (uint32_t)atoi(argv[4]);
    smooth = argc > 6;
    FILE *file = fopen(argv[5], "wb");
    uint8_t *row = calloc(width ? width : 1, 3);
    if (!file || !row || !width || !height) die(argv[5]);
    if (!strcmp(argv[1], "jpeg"))
        write_jpeg(file, row);
    else
        write_png(file, row);
    if (fclose(file)) die(argv[5]);
    free(row);
    return 0;
}
