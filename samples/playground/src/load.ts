// Loads the library, for all pages.
import { load } from 'limber-animation';
import type { Limber } from 'limber-animation';

/** It runs on one thread if the page is not isolated. */
export function loadLimber(): Promise<Limber> {
    return load({ threads: Math.min(4, navigator.hardwareConcurrency) });
}
