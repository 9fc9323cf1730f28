// A seccomp filter: a program for the kernel's BPF machine, which runs it before each system call. It compares the
// number of the call with a list, and for some calls an argument. The list is what Assimp, the C and C++ libraries and
// the sanitizers call while they read files.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "sandbox.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define PROCESSOR AUDIT_ARCH_X86_64 // the calls of x32 have other numbers, which no list has
#else
#define PROCESSOR AUDIT_ARCH_AARCH64
#endif
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL // the same for a process with one thread
#endif

#define MOST_INSTRUCTIONS 256

static const unsigned short allowed[] = {
    SYS_brk,          SYS_clock_getres, SYS_clock_gettime,  SYS_clock_nanosleep,
    SYS_close,        SYS_exit,         SYS_exit_group,     SYS_fcntl,
    SYS_fstat,        SYS_futex,        SYS_getpid,         SYS_getrandom,
    SYS_gettid,       SYS_gettimeofday, SYS_lseek,          SYS_madvise,
    SYS_mremap,       SYS_munmap,       SYS_nanosleep,      SYS_newfstatat,
    SYS_pread64,      SYS_read,         SYS_readv,          SYS_restart_syscall,
    SYS_rt_sigaction, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_sched_getaffinity,
    SYS_sched_yield,  SYS_sigaltstack,  SYS_statx,          SYS_sysinfo,
    SYS_uname,        SYS_write,        SYS_writev,
#if defined(__x86_64__)
    SYS_lstat,        SYS_stat,         SYS_time,
#endif
};

// Calls that fail: what libraries ask about their surroundings, and do without.
static const unsigned short refused[] = {
    SYS_faccessat, SYS_getcwd,    SYS_ioctl,    SYS_membarrier, SYS_prctl, SYS_prlimit64, SYS_readlinkat,
#if defined(__x86_64__)
    SYS_access,    SYS_getrlimit, SYS_readlink,
#endif
};

#define OPENS_TO_WRITE (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

typedef struct filter {
    struct sock_filter code[MOST_INSTRUCTIONS];
    unsigned short length;
} filter;

static void add(filter *f, unsigned short code, unsigned k, unsigned char if_true, unsigned char if_false) {
    f->code[f->length++] = (struct sock_filter){code, if_true, if_false, k};
}

static void load(filter *f, size_t offset) {
    add(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void finish(filter *f, unsigned action) {
    add(f, BPF_RET | BPF_K, action, 0, 0);
}

static void add_list(filter *f, const unsigned short *calls, size_t count, unsigned action) {
    for (size_t i = 0; i < count; i++) {
        add(f, BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
        finish(f, action);
    }
}

// Allows a call if the comparison of an argument's low half with a value is `expected`.
static void add_argument(filter *f, unsigned call, unsigned argument, unsigned short comparison, unsigned value,
                         bool expected) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load(f, offsetof(struct seccomp_data, args) + argument * sizeof(__u64)); // the low half comes first
    add(f, BPF_JMP | comparison | BPF_K, value, expected ? 0 : 1, expected ? 1 : 0);
    finish(f, SECCOMP_RET_ALLOW);
    finish(f, SECCOMP_RET_KILL_PROCESS);
}

static void build(filter *f) {
    const unsigned process = (unsigned)getpid();
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, PROCESSOR, 1, 0);
    finish(f, SECCOMP_RET_KILL_PROCESS);
    load(f, offsetof(struct seccomp_data, nr));
    add_list(f, allowed, sizeof allowed / sizeof allowed[0], SECCOMP_RET_ALLOW);
    add_list(f, refused, sizeof refused / sizeof refused[0], SECCOMP_RET_ERRNO | EPERM);
    add_argument(f, SYS_openat, 2, BPF_JSET, OPENS_TO_WRITE, false);
    add_argument(f, SYS_mmap, 2, BPF_JSET, PROT_EXEC, false);
    add_argument(f, SYS_mprotect, 2, BPF_JSET, PROT_EXEC, false);
    add_argument(f, SYS_tgkill, 0, BPF_JEQ, process, true); // abort()
    add_argument(f, SYS_tkill, 0, BPF_JEQ, process, true);
#if defined(__x86_64__)
    add_argument(f, SYS_open, 1, BPF_JSET, OPENS_TO_WRITE, false);
#endif
    finish(f, SECCOMP_RET_KILL_PROCESS);
}

_Static_assert(4 + 2 * (sizeof allowed + sizeof refused) / sizeof *allowed + 5 * 6 + 1 <= MOST_INSTRUCTIONS,
               "the filter does not fit");

bool sandbox_enter(void) {
#if defined(SYS_close_range)
    (void)syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0);
#endif
    filter f = {.length = 0};
    build(&f);
    const struct sock_fprog program = {f.length, f.code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

bool sandbox_enter(void) {
    return false;
}

#endif
