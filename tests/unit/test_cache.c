/* What is kept on disk: damage, a limit, several processes at once, folders that are none. */
#define _XOPEN_SOURCE 700
#include "backends/run/cache/cache.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static fcl_context cx;
static char folder[] = "/tmp/fcl-cache-XXXXXX", inner[64];

static void set_up(void)
{
    memcpy(folder, "/tmp/fcl-cache-XXXXXX", sizeof folder);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/a/b", folder);
    ck_assert(context_init(&cx, NULL, NULL));
    cx.cache.folder = inner;
}

static void tear_down(void)
{
    char command[128];
    cx.cache.folder = NULL;
    context_release(&cx);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static cache_key key_of(uint32_t n)
{
    cache_key k;
    cache_key_begin(&k, "test");
    cache_key_add(&k, &n, sizeof n);
    cache_key_end(&k);
    return k;
}

static const char *path_of(uint32_t n)
{
    static char path[256];
    char name[CACHE_NAME];
    cache_key k = key_of(n);
    cache_name(&k, name);
    snprintf(path, sizeof path, "%s/%s", inner, name);
    return path;
}

static void keep(uint32_t n, size_t size)
{
    cache_key k = key_of(n);
    char *data = malloc(size);
    memset(data, (int)n, size);
    cache_keep(&cx, &k, data, size);
    free(data);
}

/* Whether n is there, as it was kept. */
static bool is_kept(uint32_t n, size_t size)
{
    cache_key k = key_of(n);
    vec_char got = {0};
    bool is = cache_take(&cx, &k, &got);
    ck_assert(!is || got.len == size);
    for (uint32_t i = 0; is && i < got.len; i++)
        ck_assert_int_eq((unsigned char)got.at[i], (unsigned char)n);
    vec_free(&cx.mem, &got);
    ck_assert(!cx.mem.oom && cx.diags.errors == 0);
    return is;
}

static uint32_t count_files(void)
{
    uint32_t n = 0;
    DIR *d = opendir(inner);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

START_TEST(what_is_kept_is_found)
{
    ck_assert(!is_kept(1, 100));
    keep(1, 100);
    keep(2, 70000);
    ck_assert(is_kept(1, 100) && is_kept(2, 70000) && !is_kept(3, 1));
    keep(1, 5); /* again, otherwise */
    ck_assert(is_kept(1, 5));
    keep(4, 0);
    ck_assert(!is_kept(4, 0));
    ck_assert_uint_eq(count_files(), 2);
    struct stat s;
    ck_assert(stat(inner, &s) == 0 && (s.st_mode & 0777) == 0700);
    ck_assert(stat(path_of(2), &s) == 0 && (s.st_mode & 0777) == 0600);
}
END_TEST

static void overwrite(const char *path, const char *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

/* Every byte changed, every length. */
START_TEST(damage_is_seen)
{
    char right[4096], wrong[4096];
    keep(1, 50);
    FILE *f = fopen(path_of(1), "rb");
    size_t size = fread(right, 1, sizeof right, f);
    fclose(f);
    ck_assert_uint_gt(size, 50);
    for (size_t i = 0; i < size; i++) {
        memcpy(wrong, right, size);
        wrong[i] = (char)(wrong[i] ^ (1 << i % 8));
        overwrite(path_of(1), wrong, size);
        ck_assert(!is_kept(1, 50));
        overwrite(path_of(1), right, i);
        ck_assert(!is_kept(1, 50));
    }
    memcpy(wrong, right, size);
    overwrite(path_of(1), wrong, size + 1);
    ck_assert(!is_kept(1, 50));
    overwrite(path_of(2), right, size); /* another one's contents */
    ck_assert(!is_kept(2, 50));
    overwrite(path_of(1), right, size);
    ck_assert(is_kept(1, 50));
    overwrite(path_of(1), wrong, 3);
    keep(1, 50); /* mended */
    ck_assert(is_kept(1, 50));
}
END_TEST

/* A pipe, a folder, a link and a file that others may write hold nobody up, and are not read. */
START_TEST(what_is_no_file_is_not_read)
{
    keep(1, 50);
    char other[300];
    snprintf(other, sizeof other, "%s/other", folder);
    ck_assert_int_eq(rename(path_of(1), other), 0);
    ck_assert_int_eq(symlink(other, path_of(1)), 0);
    ck_assert(!is_kept(1, 50));
    ck_assert_int_eq(unlink(path_of(1)), 0);
    ck_assert_int_eq(mkfifo(path_of(1), 0600), 0);
    ck_assert(!is_kept(1, 50));
    ck_assert_int_eq(unlink(path_of(1)), 0);
    ck_assert_int_eq(mkdir(path_of(1), 0700), 0);
    ck_assert(!is_kept(1, 50));
    keep(1, 50);
    ck_assert_uint_eq(count_files(), 1);
    ck_assert_int_eq(rmdir(path_of(1)), 0);
    keep(1, 50);
    ck_assert_int_eq(chmod(path_of(1), 0620), 0);
    ck_assert(!is_kept(1, 50));
}
END_TEST

START_TEST(folders_of_others_are_not_used)
{
    keep(1, 50);
    ck_assert_int_eq(chmod(inner, 0777), 0);
    ck_assert(!is_kept(1, 50) && !cache_may_keep(&cx));
    keep(2, 50);
    ck_assert_int_eq(chmod(inner, 0700), 0);
    ck_assert(is_kept(1, 50) && !is_kept(2, 50) && cache_may_keep(&cx));
    char none[] = "", relative[] = "a/b", nowhere[] = "/proc/fcl/cache", file[] = "/etc/passwd";
    char *const folders[] = {none, relative, nowhere, file};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        cx.cache.folder = folders[i];
        keep(1, 50);
        ck_assert(!is_kept(1, 50) && !cache_may_keep(&cx));
    }
    ck_assert_int_ne(access("a/b", F_OK), 0);
}
END_TEST

/* The folder that the environment names. */
static const char *usual(vec_char *out)
{
    vec_free(&cx.mem, out);
    return cache_folder(&cx, out);
}

START_TEST(the_environment_says_where)
{
    vec_char at = {0};
    cx.cache.folder = NULL;
    setenv("FCL_CACHE", "/x/y", 1);
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    setenv("HOME", "/home/me", 1);
    ck_assert_str_eq(usual(&at), "/x/y");
    setenv("FCL_CACHE", "", 1);
    ck_assert_str_eq(usual(&at), "");
    setenv("FCL_CACHE", "here", 1);
    ck_assert_str_eq(usual(&at), "");
    unsetenv("FCL_CACHE");
    ck_assert_str_eq(usual(&at), "/xdg/libfcl");
    setenv("XDG_CACHE_HOME", "xdg", 1); /* no absolute path: as if it were not there */
    ck_assert_str_eq(usual(&at), "/home/me/.cache/libfcl");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ck_assert_str_eq(usual(&at), "");
    keep(1, 50);
    ck_assert(!is_kept(1, 50));
    vec_free(&cx.mem, &at);
}
END_TEST

/* Sets when n was used last, in seconds from now. */
static void age(uint32_t n, int seconds)
{
    struct timespec t[2] = {{.tv_sec = time(NULL) + seconds}, {.tv_sec = time(NULL) + seconds}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path_of(n), t, 0), 0);
}

START_TEST(what_was_used_longest_ago_goes)
{
    cx.cache.most_bytes = 4000; /* three of 1,000 and a little */
    for (uint32_t n = 1; n <= 3; n++) {
        keep(n, 1000);
        age(n, -100 + (int)n);
    }
    ck_assert(is_kept(1, 1000)); /* and used just now */
    keep(4, 1000);
    ck_assert(is_kept(1, 1000) && !is_kept(2, 1000) && is_kept(3, 1000) && is_kept(4, 1000));
    keep(5, 5000); /* more than all may be */
    ck_assert(!is_kept(5, 5000) && count_files() == 3);
    for (uint32_t n = 10; n < 60; n++) {
        keep(n, 1000);
        ck_assert(is_kept(n, 1000));
        ck_assert_uint_le(count_files(), 3);
    }
    cx.cache.most_bytes = 1000; /* less than what is there, and it is not read */
    ck_assert(!is_kept(59, 1000));
}
END_TEST

/* Files that nobody will finish go, those of other programs stay. */
START_TEST(what_was_left_is_cleared)
{
    char path[300];
    keep(1, 50);
    snprintf(path, sizeof path, "%s/new-abcdef", inner);
    overwrite(path, "x", 1);
    keep(2, 50);
    ck_assert_int_eq(access(path, F_OK), 0);
    struct timespec t[2] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, t, 0), 0);
    keep(3, 50);
    ck_assert_int_ne(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/notes.txt", inner);
    overwrite(path, "x", 1);
    cx.cache.most_bytes = 300;
    keep(4, 50);
    ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

/* Eight processes keep, take and clear the same few files. */
START_TEST(processes_do_not_disturb_one_another)
{
    enum { PROCESSES = 8, ROUNDS = 200 };
    int status = 0;
    cx.cache.most_bytes = 30000;
    for (uint32_t p = 0; p < PROCESSES; p++)
        if (fork() == 0) {
            for (uint32_t i = 0; i < ROUNDS; i++) {
                uint32_t n = 1 + (i * 7 + p) % 6;
                if (!is_kept(n, 5000 + n * 500))
                    keep(n, 5000 + n * 500);
            }
            _exit(0);
        }
    for (uint32_t p = 0; p < PROCESSES; p++) {
        ck_assert(wait(&status) > 0);
        ck_assert_int_eq(status, 0);
    }
    keep(7, 100);
    ck_assert(is_kept(7, 100));
    ck_assert_uint_le(count_files(), 6);
}
END_TEST

Suite *cache_suite(void)
{
    Suite *s = suite_create("cache");
    TCase *c = tcase_create("cache");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, what_is_kept_is_found);
    tcase_add_test(c, damage_is_seen);
    tcase_add_test(c, what_is_no_file_is_not_read);
    tcase_add_test(c, folders_of_others_are_not_used);
    tcase_add_test(c, the_environment_says_where);
    tcase_add_test(c, what_was_used_longest_ago_goes);
    tcase_add_test(c, what_was_left_is_cleared);
    tcase_add_test(c, processes_do_not_disturb_one_another);
    suite_add_tcase(s, c);
    return s;
}
