/** Outputs as they were typed. Needs no browser. */
import { withPoints } from '../../../parts/decimal-sign.ts';
import { readNumber } from '../../../parts/read-number.ts';

export type OutputsRead =
  | { readonly output: readonly number[]; readonly faults?: undefined }
  | { readonly output?: undefined /** By the position of the output. */; readonly faults: ReadonlyMap<number, string> };

export function readOutputs(texts: readonly string[]): OutputsRead {
  const faults = new Map<number, string>();
  const output = withPoints(texts).map((text, j) => {
    const { value, fault } = readNumber(text);
    if (fault !== undefined) faults.set(j, fault);
    return value ?? 0;
  });
  return faults.size === 0 ? { output } : { faults };
}

/** Position of the output that a pointer of the service names, as in /output/2; undefined if it names none. */
export function outputAt(pointer: string): number | undefined {
  const index = /^\/output\/(\d+)$/.exec(pointer)?.[1];
  return index === undefined ? undefined : Number(index);
}
