/** The message for a field that a body does not have: the name that was probably meant, or all names there are. */
import { refFieldAs, type ViolationPath } from '../../domain/messages.ts';
import { findNearestName } from '../../domain/nearest-name.ts';

/** Completes the sentence that the name begins. @param path  of the object that has the field */
export function describeUnknownField(name: string, known: readonly string[], path: ViolationPath = []): string {
  const nearest = findNearestName(name, known);
  if (nearest !== undefined) return `is not a field; did you mean ${refFieldAs(nearest, [...path, nearest])}?`;
  if (known.length === 0) return 'is not a field; this body takes none.';
  return `is not a field; the fields are ${known.map((one) => refFieldAs(one, [...path, one])).join(', ')}.`;
}
