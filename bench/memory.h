// The available memory of the machine and of devices.
#ifndef LIMBER_BENCH_MEMORY_H
#define LIMBER_BENCH_MEMORY_H

#include <device.h>

// Returns the bytes that the machine can provide without taking them from other processes.
double memory_of_machine(void);
// Returns the bytes of the device's own memory; the machine's if the device is a processor.
double memory_of_device(const device *device);

#endif
