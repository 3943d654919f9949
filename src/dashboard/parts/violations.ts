/** What the service says of single fields of a request. Needs no browser. */
import { BacksolveError } from '../../../clients/typescript/src/index.ts';
import { capitalized } from './formats.ts';

/**
 * What is wrong, by the JSON Pointer of the field; of several faults of one field the first. Empty unless the service refused the
 * fields of a request. The messages begin with a capital and go on as the service wrote them.
 */
export function faultsByPointer(error: unknown): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  if (!(error instanceof BacksolveError)) return faults;
  for (const { pointer, message } of error.violations) {
    if (!faults.has(pointer)) faults.set(pointer, capitalized(message));
  }
  return faults;
}

/** The error unless all that it says stands at the fields that are shown. */
export function withoutShown(error: unknown, isShown: (pointer: string) => boolean): unknown {
  const pointers = [...faultsByPointer(error).keys()];
  return pointers.length > 0 && pointers.every(isShown) ? undefined : error;
}
