// Threads, mutexes and conditions: those of Windows, and elsewhere those of POSIX.
#ifndef LIMBER_SRC_BASE_THREAD_H
#define LIMBER_SRC_BASE_THREAD_H

#include <stdbool.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
typedef SRWLOCK lmb_mutex;
typedef CONDITION_VARIABLE lmb_condition;
typedef HANDLE lmb_thread_handle;
#else
#include <pthread.h>
typedef pthread_mutex_t lmb_mutex;
typedef pthread_cond_t lmb_condition;
typedef pthread_t lmb_thread_handle;
#endif

typedef struct lmb_thread {
    lmb_thread_handle handle;
    void (*run)(void *argument);
    void *argument;
} lmb_thread;

// Returns false if the system has no more.
bool lmb_mutex_create(lmb_mutex *mutex);
void lmb_mutex_destroy(lmb_mutex *mutex);
void lmb_mutex_lock(lmb_mutex *mutex);
void lmb_mutex_unlock(lmb_mutex *mutex);

bool lmb_condition_create(lmb_condition *condition);
void lmb_condition_destroy(lmb_condition *condition);
// Unlocks the mutex while it waits. It may also return without a signal.
void lmb_condition_wait(lmb_condition *condition, lmb_mutex *mutex);
void lmb_condition_signal(lmb_condition *condition);
void lmb_condition_broadcast(lmb_condition *condition);

// `thread` must stay where it is until lmb_thread_join() has returned.
bool lmb_thread_start(lmb_thread *thread, void (*run)(void *argument), void *argument);
void lmb_thread_join(lmb_thread *thread);

#endif
