// Thin layers over the system's threads. A started thread reads its function from the lmb_thread, which therefore stays
// where it is until it is joined.
#define _POSIX_C_SOURCE 200809L

#include "thread.h"

#include <stddef.h>

#ifdef _WIN32

#include <process.h>

bool lmb_mutex_create(lmb_mutex *mutex) {
    InitializeSRWLock(mutex);
    return true;
}

void lmb_mutex_destroy(lmb_mutex *mutex) {
    (void)mutex;
}

void lmb_mutex_lock(lmb_mutex *mutex) {
    AcquireSRWLockExclusive(mutex);
}

void lmb_mutex_unlock(lmb_mutex *mutex) {
    ReleaseSRWLockExclusive(mutex);
}

bool lmb_condition_create(lmb_condition *condition) {
    InitializeConditionVariable(condition);
    return true;
}

void lmb_condition_destroy(lmb_condition *condition) {
    (void)condition;
}

void lmb_condition_wait(lmb_condition *condition, lmb_mutex *mutex) {
    SleepConditionVariableSRW(condition, mutex, INFINITE, 0);
}

void lmb_condition_signal(lmb_condition *condition) {
    WakeConditionVariable(condition);
}

void lmb_condition_broadcast(lmb_condition *condition) {
    WakeAllConditionVariable(condition);
}

static unsigned __stdcall run_thread(void *argument) {
    lmb_thread *thread = argument;
    thread->run(thread->argument);
    return 0;
}

static bool start(lmb_thread *thread) {
    thread->handle = (HANDLE)_beginthreadex(NULL, 0, run_thread, thread, 0, NULL);
    return thread->handle != NULL;
}

void lmb_thread_join(lmb_thread *thread) {
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

#else

bool lmb_mutex_create(lmb_mutex *mutex) {
    return pthread_mutex_init(mutex, NULL) == 0;
}

void lmb_mutex_destroy(lmb_mutex *mutex) {
    pthread_mutex_destroy(mutex);
}

void lmb_mutex_lock(lmb_mutex *mutex) {
    pthread_mutex_lock(mutex);
}

void lmb_mutex_unlock(lmb_mutex *mutex) {
    pthread_mutex_unlock(mutex);
}

bool lmb_condition_create(lmb_condition *condition) {
    return pthread_cond_init(condition, NULL) == 0;
}

void lmb_condition_destroy(lmb_condition *condition) {
    pthread_cond_destroy(condition);
}

void lmb_condition_wait(lmb_condition *condition, lmb_mutex *mutex) {
    pthread_cond_wait(condition, mutex);
}

void lmb_condition_signal(lmb_condition *condition) {
    pthread_cond_signal(condition);
}

void lmb_condition_broadcast(lmb_condition *condition) {
    pthread_cond_broadcast(condition);
}

static void *run_thread(void *argument) {
    lmb_thread *thread = argument;
    thread->run(thread->argument);
    return NULL;
}

static bool start(lmb_thread *thread) {
    return pthread_create(&thread->handle, NULL, run_thread, thread) == 0;
}

void lmb_thread_join(lmb_thread *thread) {
    pthread_join(thread->handle, NULL);
}

#endif

bool lmb_thread_start(lmb_thread *thread, void (*run)(void *argument), void *argument) {
    thread->run = run;
    thread->argument = argument;
    return start(thread);
}
