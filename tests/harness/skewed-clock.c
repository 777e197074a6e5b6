/*
 * Preloaded into a process of a test: its wall clock is off by the seconds that stand in the file TEST_CLOCK, which the test
 * may change at any time. Clocks that nobody can set (CLOCK_MONOTONIC, CLOCK_BOOTTIME) stay as they are.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t in_time = 0;
static const volatile int64_t *off_by = &in_time;

__attribute__((constructor)) static void open_clock(void) {
  const char *name = getenv("TEST_CLOCK");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *seconds = mmap(NULL, sizeof in_time, PROT_READ, MAP_SHARED, file, 0);
  if (seconds != MAP_FAILED) off_by = seconds;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int answer = syscall(SYS_clock_gettime, clock, now);
  if (answer == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *off_by;
  return answer;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int answer = syscall(SYS_gettimeofday, now, zone);
  if (answer == 0 && now) now->tv_sec += *off_by;
  return answer;
}

time_t time(time_t *now) {
  struct timespec read;
  clock_gettime(CLOCK_REALTIME, &read);
  if (now) *now = read.tv_sec;
  return read.tv_sec;
}
