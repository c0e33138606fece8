/*
 * Preloaded into a process, it writes down in which order the process changes the files below a folder: what a disk would have to keep
 * after a power cut follows from that (see replay.ts). Calls are made one at a time, so that the order is the true one.
 *
 *   RECORDED_FOLDER  absolute path; what lies below it is recorded
 *   RECORD_FILE      the record, appended to; it lies elsewhere. Without it nothing is recorded
 *   FAULT_AT         the number of the call, from 1, that fails; none by default
 *   FAULT_AGAIN_AT   the number of another call that fails
 *   FAULT_READS      set: reading counts as a call too, and can fail
 *   FAULT_ERRNO      with which error; 0: a write writes half of its bytes, other calls succeed
 *
 * A record: | op u8 | inode u64 | offset u64 | a u32 | b u32 | a bytes | b bytes |, numbers little-endian.
 *   C create file (a path)     M create folder (a path)     W write (a path, b bytes, at offset)      T set length (offset)
 *   S sync (a path)            R rename (a from, b to)      U remove name (a path)                    L link (a from, b to)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))
#define MOST_FILES 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* By descriptor: the path it was opened with, and which file that is. */
static char *paths[MOST_FILES];
static struct file { dev_t device; ino_t inode; } files[MOST_FILES];
static const char *folder;
static int record_fd = -1;
static long fault_at = -1;
static long fault_again_at = -1;
static int fault_errno;
static int fault_reads;
static long calls;

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

__attribute__((constructor)) static void begin(void) {
  folder = getenv("RECORDED_FOLDER");
  const char *file = getenv("RECORD_FILE");
  if (getenv("FAULT_AT")) fault_at = atol(getenv("FAULT_AT"));
  if (getenv("FAULT_AGAIN_AT")) fault_again_at = atol(getenv("FAULT_AGAIN_AT"));
  fault_reads = getenv("FAULT_READS") != NULL;
  if (getenv("FAULT_ERRNO")) fault_errno = atoi(getenv("FAULT_ERRNO"));
  if (folder && file) record_fd = REAL(open)(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int is_ours(const char *path) {
  return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

/*
 * The path of a recorded file, or NULL. libuv closes descriptors without the C library, so a descriptor may belong to another file or
 * to a socket by now: which file it is tells.
 */
static const char *path_of(int fd) {
  struct stat now;
  if (fd < 0 || fd >= MOST_FILES || !paths[fd] || fstat(fd, &now) != 0) return NULL;
  return now.st_dev == files[fd].device && now.st_ino == files[fd].inode ? paths[fd] : NULL;
}

/* Is this the call that fails? */
static int is_faulty(void) {
  if (fault_at <= 0) return 0;
  long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  return call == fault_at || call == fault_again_at;
}

static int fails(void) {
  if (!is_faulty() || fault_errno == 0) return 0;
  errno = fault_errno;
  return 1;
}

static uint64_t inode_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

static uint64_t inode_at(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 ? found.st_ino : 0;
}

static void record(char op, uint64_t inode, uint64_t offset, const char *a, const void *b, size_t b_bytes) {
  if (record_fd < 0) return;
  int kept = errno;
  char head[25];
  uint32_t a_bytes = a ? strlen(a) : 0, bytes = b_bytes;
  head[0] = op;
  memcpy(head + 1, &inode, 8);
  memcpy(head + 9, &offset, 8);
  memcpy(head + 17, &a_bytes, 4);
  memcpy(head + 21, &bytes, 4);
  struct iovec parts[3] = {{head, sizeof head}, {(void *)a, a_bytes}, {(void *)b, b_bytes}};
  ssize_t whole = sizeof head + a_bytes + b_bytes;
  if (REAL(writev)(record_fd, parts, 3) != whole) abort();
  errno = kept;
}

static int opened(int fd, const char *path, int flags, int existed) {
  if (fd < 0 || fd >= MOST_FILES) return fd;
  struct stat found;
  if (fstat(fd, &found) != 0) abort();
  free(paths[fd]);
  paths[fd] = strdup(path);
  files[fd] = (struct file){found.st_dev, found.st_ino};
  if (!existed && (flags & O_CREAT)) record('C', inode_of(fd), 0, path, NULL, 0);
  if (existed && (flags & O_TRUNC)) record('T', inode_of(fd), 0, path, NULL, 0);
  return fd;
}

#define OPEN(name)                                              \
  int name(const char *path, int flags, ...) {                  \
    va_list rest;                                               \
    va_start(rest, flags);                                      \
    mode_t mode = va_arg(rest, int);                            \
    va_end(rest);                                               \
    if (!is_ours(path)) return REAL(name)(path, flags, mode);   \
    if (fails()) return -1;                                     \
    pthread_mutex_lock(&lock);                                  \
    int existed = inode_at(path) != 0;                          \
    int fd = opened(REAL(name)(path, flags, mode), path, flags, existed); \
    pthread_mutex_unlock(&lock);                                \
    return fd;                                                  \
  }
OPEN(open)
OPEN(open64)

static void closed(int fd) {
  free(paths[fd]);
  paths[fd] = NULL;
}

int close(int fd) {
  if (!path_of(fd)) return REAL(close)(fd);
  pthread_mutex_lock(&lock);
  closed(fd);
  int result = REAL(close)(fd);
  pthread_mutex_unlock(&lock);
  return result;
}

/* RocksDB reads some files as streams. */
int fclose(FILE *stream) {
  int fd = fileno(stream);
  if (!path_of(fd)) return REAL(fclose)(stream);
  pthread_mutex_lock(&lock);
  closed(fd);
  int result = REAL(fclose)(stream);
  pthread_mutex_unlock(&lock);
  return result;
}

static void wrote(int fd, const struct iovec *parts, int count, ssize_t written, uint64_t offset) {
  for (int i = 0; i < count && written > 0; i++) {
    size_t bytes = parts[i].iov_len < (size_t)written ? parts[i].iov_len : (size_t)written;
    record('W', inode_of(fd), offset, paths[fd], parts[i].iov_base, bytes);
    offset += bytes;
    written -= bytes;
  }
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!path_of(fd)) return REAL(writev)(fd, parts, count);
  struct iovec half;
  if (is_faulty()) {
    errno = fault_errno;
    if (fault_errno != 0) return -1;
    half = (struct iovec){parts[0].iov_base, (parts[0].iov_len + 1) / 2};
    parts = &half;
    count = 1;
  }
  pthread_mutex_lock(&lock);
  ssize_t written = REAL(writev)(fd, parts, count);
  if (written > 0) wrote(fd, parts, count, written, lseek(fd, 0, SEEK_CUR) - written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  if (!path_of(fd)) return REAL(write)(fd, bytes, count);
  struct iovec part = {(void *)bytes, count};
  return writev(fd, &part, 1);
}

#define PWRITEV(name, offset_t)                                            \
  ssize_t name(int fd, const struct iovec *parts, int count, offset_t at) { \
    if (!path_of(fd)) return REAL(name)(fd, parts, count, at);             \
    if (fails()) return -1;                                                \
    pthread_mutex_lock(&lock);                                             \
    ssize_t written = REAL(name)(fd, parts, count, at);                    \
    if (written > 0) wrote(fd, parts, count, written, at);                 \
    pthread_mutex_unlock(&lock);                                           \
    return written;                                                        \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define PWRITE(name, offset_t)                                          \
  ssize_t name(int fd, const void *bytes, size_t count, offset_t at) {  \
    struct iovec part = {(void *)bytes, count};                         \
    if (!path_of(fd)) return REAL(name)(fd, bytes, count, at);          \
    return pwritev(fd, &part, 1, at);                                   \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define SYNC(name)                                                   \
  int name(int fd) {                                                 \
    if (!path_of(fd)) return REAL(name)(fd);                         \
    if (fails()) return -1;                                          \
    pthread_mutex_lock(&lock);                                       \
    int result = REAL(name)(fd);                                     \
    if (result == 0) record('S', inode_of(fd), 0, paths[fd], NULL, 0); \
    pthread_mutex_unlock(&lock);                                     \
    return result;                                                   \
  }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name, offset_t)                                         \
  int name(int fd, offset_t length) {                                    \
    if (!path_of(fd)) return REAL(name)(fd, length);                     \
    if (fails()) return -1;                                              \
    pthread_mutex_lock(&lock);                                           \
    int result = REAL(name)(fd, length);                                 \
    if (result == 0) record('T', inode_of(fd), length, paths[fd], NULL, 0); \
    pthread_mutex_unlock(&lock);                                         \
    return result;                                                       \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define PAIR(name, op)                                                      \
  int name(const char *from, const char *to) {                              \
    if (!is_ours(from) && !is_ours(to)) return REAL(name)(from, to);        \
    if (fails()) return -1;                                                 \
    pthread_mutex_lock(&lock);                                              \
    int result = REAL(name)(from, to);                                      \
    if (result == 0) record(op, inode_at(to), 0, from, to, strlen(to));     \
    pthread_mutex_unlock(&lock);                                            \
    return result;                                                          \
  }
PAIR(rename, 'R')
PAIR(link, 'L')

#define REMOVE(name)                                             \
  int name(const char *path) {                                   \
    if (!is_ours(path)) return REAL(name)(path);                 \
    if (fails()) return -1;                                      \
    pthread_mutex_lock(&lock);                                   \
    int result = REAL(name)(path);                               \
    if (result == 0) record('U', 0, 0, path, NULL, 0);           \
    pthread_mutex_unlock(&lock);                                 \
    return result;                                               \
  }
REMOVE(unlink)
REMOVE(rmdir)
REMOVE(remove)

int mkdir(const char *path, mode_t mode) {
  if (!is_ours(path)) return REAL(mkdir)(path, mode);
  if (fails()) return -1;
  pthread_mutex_lock(&lock);
  int result = REAL(mkdir)(path, mode);
  if (result == 0) record('M', inode_at(path), 0, path, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

char *mkdtemp(char *template) {
  if (!is_ours(template)) return REAL(mkdtemp)(template);
  pthread_mutex_lock(&lock);
  char *made = REAL(mkdtemp)(template);
  if (made) record('M', inode_at(made), 0, made, NULL, 0);
  pthread_mutex_unlock(&lock);
  return made;
}

static int read_fails(int fd) {
  return fault_reads && path_of(fd) && fails();
}

ssize_t read(int fd, void *bytes, size_t count) {
  return read_fails(fd) ? -1 : REAL(read)(fd, bytes, count);
}

#define PREAD(name, offset_t)                                    \
  ssize_t name(int fd, void *bytes, size_t count, offset_t at) { \
    return read_fails(fd) ? -1 : REAL(name)(fd, bytes, count, at); \
  }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

/* RocksDB reads logs and manifests with this. */
#undef fread_unlocked
size_t fread_unlocked(void *bytes, size_t size, size_t count, FILE *stream) {
  return read_fails(fileno(stream)) ? 0 : REAL(fread_unlocked)(bytes, size, count, stream);
}
