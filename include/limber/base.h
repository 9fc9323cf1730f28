/// @file base.h
/// @ingroup basics
/// Result codes, messages, the host's allocator and log. Every other header builds on this one.
///
/// Limber has no global state, except one lock in an import library that is built with Assimp (import.h). Everything
/// that a call needs is passed as arguments, so any two calls that do not share an object may run on two threads at
/// once. Each type documents its own rules for use on several threads. The headers need C11 or C++; limber.hpp needs
/// C++17.
///
/// **Refused.** A call refuses invalid arguments: it fails, with a result and a message. A run refuses invalid values
/// in parameters, poses, points and lists, which the host or a device writes for each frame: it replaces and counts
/// them (#lmb_refusal), and succeeds. Values that only the control reads (control.h) are replaced and not counted.
///
/// A getter whose index does not exist returns #LMB_NONE for an index, "" for a name ("unknown ..." for that of a value
/// of an enumeration), NULL for a pointer, and otherwise
/// false, 0 or a struct of zeros, unless it says something else. Objects that are passed to a getter must not be NULL,
/// unless it allows that.
#ifndef LIMBER_BASE_H
#define LIMBER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Limber needs a little-endian processor: files and buffers are read and written as they are in memory"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// @addtogroup basics
/// @{

#if defined(LMB_SHARED) && defined(_WIN32)
#if defined(LMB_BUILDING)
#define LMB_API __declspec(dllexport)
#else
#define LMB_API __declspec(dllimport)
#endif
#elif defined(LMB_SHARED) && defined(__GNUC__)
#define LMB_API __attribute__((visibility("default")))
#else
#define LMB_API
#endif

#define LMB_VERSION_MAJOR 0
#define LMB_VERSION_MINOR 1
#define LMB_VERSION_PATCH 0

/// A version as one number, for comparisons.
#define LMB_MAKE_VERSION(major, minor, patch) ((major)*1000000u + (minor)*1000u + (patch))
#define LMB_VERSION LMB_MAKE_VERSION(LMB_VERSION_MAJOR, LMB_VERSION_MINOR, LMB_VERSION_PATCH) ///< of this header

/// Returns #LMB_VERSION of the library that is linked.
///
/// Versions with the same major and minor number have the same ABI, and a later patch replaces an earlier one: the
/// shared library's SOVERSION is "major.minor", and find_package() accepts only that. CHANGELOG.md lists the changes. A
/// patch never changes the bits of results.
LMB_API uint32_t lmb_version(void);

/// An index that is never valid: "no joint", "no parent", "no parameter", "not found".
#define LMB_NONE UINT32_MAX

/// The result of a call. A call that fails (any result except #LMB_OK) leaves the caller's objects unchanged,
/// unless its description says otherwise, and creates nothing. If it was to create an object, it sets the caller's
/// pointer to NULL.
typedef enum lmb_result {
    LMB_OK = 0,
    LMB_ERROR_ARGUMENT,    ///< a descriptor or an argument is not valid; the message names the field
    LMB_ERROR_MEMORY,      ///< there is no memory: the host's allocator returned NULL; or a thread cannot be started
    LMB_ERROR_FILE,        ///< a file cannot be opened or read
    LMB_ERROR_FORMAT,      ///< the content of a file or a block is malformed
    LMB_ERROR_UNSUPPORTED, ///< well formed, but not supported by Limber
    LMB_ERROR_LIMIT,       ///< a stated limit is exceeded
    LMB_ERROR_STATE,       ///< the call is not allowed now: not uploaded, not probed, used twice
    LMB_ERROR_VULKAN,      ///< a Vulkan call failed; the message names the call and its VkResult
    /// the device cannot run this: the probe failed, a feature or a kind of memory is missing, or its workgroup memory
    /// is too small
    LMB_ERROR_DEVICE,
    LMB_ERROR_UNTRUSTED ///< a file of a format that is read only where the caller trusts it
} lmb_result;

/// Returns the name of a result, "LMB_OK" and so on; never NULL. The text is static.
LMB_API const char *lmb_result_name(lmb_result result);

/// A result with a message for a person. The message names the location (file, node, joint, field, value) and is always
/// terminated. Calls that can fail take a pointer to one, owned by the caller, or NULL. It is written only on failure.
typedef struct lmb_error {
    lmb_result result;
    char message[500];
    int32_t vulkan_result; ///< with #LMB_ERROR_VULKAN the VkResult of the call that failed, otherwise 0
} lmb_error;

typedef enum lmb_log_level { LMB_LOG_INFO, LMB_LOG_WARNING, LMB_LOG_ERROR } lmb_log_level;

/// Memory and a log that the host provides when it creates an object. The struct is copied, so it need not outlive the
/// call, but `user` must outlive the object. A NULL pointer to a host, or NULL members, mean malloc, free and no log.
/// If several threads create or destroy objects with one host at the same time, its functions must allow that.
typedef struct lmb_host {
    /// Returns `size` bytes, aligned to 16, or NULL. Called by functions that take an lmb_host, and by those that
    /// create something with an object that has one, such as lmb_gpu_batch_create(); functions that run or record a
    /// frame never call it.
    void *(*allocate)(void *user, size_t size);
    /// Releases memory from `allocate`. Never called with NULL. If one of the two is NULL, neither is used.
    void (*release)(void *user, void *memory);
    /// Logs one line of text without a line break. Called on the thread of the call that logs.
    void (*log)(void *user, lmb_log_level level, const char *message);
    void *user;
} lmb_host;

/// @}

#ifdef __cplusplus
}
#endif

#endif
