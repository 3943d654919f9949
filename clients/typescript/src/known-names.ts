/** Objects of options are read by name: an unknown name would be ignored silently. */
import { findNearestName } from './generated/nearest-name.ts';

/** The names that an object may have, each with those of its value; null for a value that is not looked into. */
export interface Names {
  readonly [name: string]: Names | null;
}

/**
 * Throws TypeError that lists every unknown name with the nearest known one.
 *
 * @param given  a value that is not an object has no names
 * @param owner  the function that takes the object, such as `solve`
 */
export function refuseUnknownNames(given: unknown, known: Names, owner: string): void {
  const found = unknownIn(given, known, '');
  if (found.length > 0) throw new TypeError(found.map((one) => `${owner} does not take ${one}`).join('\n'));
}

function unknownIn(given: unknown, known: Names, path: string): readonly string[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    if (!Object.hasOwn(known, name)) return [`${path}${name}${adviceFor(name, Object.keys(known), path)}`];
    const inner = known[name] ?? null;
    return inner === null ? [] : unknownIn(value, inner, `${path}${name}.`);
  });
}

function adviceFor(name: string, known: readonly string[], path: string): string {
  const nearest = findNearestName(name, known);
  if (nearest !== undefined) return `; did you mean ${path}${nearest}?`;
  return known.length === 0 ? '.' : `; it takes ${known.map((one) => path + one).join(', ')}.`;
}
