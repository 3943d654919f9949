/** Numbers and values in texts; the data beside them has all digits. */

const DIGITS = 6;

export function shown(value: unknown): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(DIGITS))) : String(value);
}

/** `thickness = 2.5, length = 40` */
export function shownByName(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${shown(value)}`)
    .join(', ');
}

/** For inputs: the text is all that some agents read, and a run with rounded inputs is another run. */
export function inAllDigits(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ');
}

/** `1 run`, `3 runs` */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** ` It misses sag by 2.1 (too high).`, or nothing; by how much each output lies beyond its limit, negative below it. */
export function describeMissed(missedBy: Readonly<Record<string, number>> | null): string {
  const far = Object.entries(missedBy ?? {}).filter(([, by]) => by !== 0);
  if (far.length === 0) return '';
  const parts = far.map(([name, by]) => `${name} by ${shown(Math.abs(by))} (${by < 0 ? 'too low' : 'too high'})`);
  return ` It misses ${parts.join(', ')}.`;
}
