/** An output that the models did not expect, in words. Needs no browser. */
import type { ReportedInverse } from '../../../../../clients/typescript/src/index.ts';
import { short } from '../../../parts/formats.ts';

export type Surprise = ReportedInverse['warnings'][number];

export function surpriseText({ output, name, value, expectedMinimum: from, expectedMaximum: to }: Surprise): string {
  const least = from === null ? '' : `at least ${short(from)}`;
  const most = to === null ? '' : `at most ${short(to)}`;
  const expected = from !== null && to !== null ? `${short(from)} to ${short(to)}` : least || most;
  return `Output ${name ?? `y${output + 1}`} is ${short(value)}; the models expected ${expected}. It was stored. If it is wrong, correct it.`;
}
