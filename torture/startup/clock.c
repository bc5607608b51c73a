/* A clock that jumps, as if someone had set it: all processes see the same jumps at the same time.
   Loaded before the C library (LD_PRELOAD), so that all code sees it. RETHINK_FAULT is
   clock:<uptime>+<seconds>:<uptime>+<seconds>..., the time of day being so many seconds off from
   these moments on. Clocks that only count on are left alone, as they are by a true jump. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static int true_clock(clockid_t clock, struct timespec *now) {
    static int (*found)(clockid_t, struct timespec *);
    if (!found)
        found = dlsym(RTLD_NEXT, "clock_gettime");
    return found(clock, now);
}

static long offset(void) {
    const char *place = getenv("RETHINK_FAULT");
    struct timespec up;
    long seconds = 0;
    if (!place || strncmp(place, "clock:", 6))
        return 0;
    true_clock(CLOCK_MONOTONIC, &up);
    double uptime = up.tv_sec + up.tv_nsec * 1e-9;
    for (place = strchr(place, ':'); place; place = strchr(place, ':')) {
        char *end;
        double moment = strtod(place + 1, &end);
        if (moment > uptime)
            break;
        seconds = strtol(end, &end, 10);
        place = end;
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = true_clock(clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += offset();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (place)
        *place = precise.tv_sec;
    return precise.tv_sec;
}
