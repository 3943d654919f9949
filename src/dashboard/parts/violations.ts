/** The violations of single fields of a request. Needs no browser. */
import { BacksolveError } from '../../../clients/typescript/src/index.ts';
import { capitalized } from '../../presentation/formats.ts';

/**
 * The first message for each field, by its JSON Pointer. Empty unless the service refused fields of a request. Messages are those of the service with a capital letter.
 */
export function faultsByPointer(error: unknown): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  if (!(error instanceof BacksolveError)) return faults;
  for (const { pointer, message } of error.violations) {
    if (!faults.has(pointer)) faults.set(pointer, capitalized(message));
  }
  return faults;
}

/** The error, unless all its violations are shown at their fields. */
export function withoutShown(error: unknown, isShown: (pointer: string) => boolean): unknown {
  const pointers = [...faultsByPointer(error).keys()];
  return pointers.length > 0 && pointers.every(isShown) ? undefined : error;
}
