// How much memory there is to be had.
#ifndef LIMBER_BENCH_MEMORY_H
#define LIMBER_BENCH_MEMORY_H

#include <device.h>

// Bytes that the machine can give now without taking them from others.
double memory_of_machine(void);
// Bytes of the device's own memory; the machine's where the device is a processor.
double memory_of_device(const device *device);

#endif
