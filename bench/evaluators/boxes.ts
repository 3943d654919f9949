/**
 * The behaviour of an evaluator for an input. It depends only on the input, so that every evaluator behaves alike, and the
 * verification knows the right outcome of each.
 */
import { BOXES, type Box } from '../chaos/problems.ts';

export type Fate =
  /** An output after 10 to 50 ms. */
  | 'healthy'
  /** An output after more than a lease, which heartbeats have to keep. */
  | 'slow'
  /** A retryable failure at the first try, an output at the next. */
  | 'flaky'
  /** A failed run. */
  | 'fails'
  /** Kills its evaluator, whichever that is. */
  | 'kills';

/** The shares of the fates other than healthy. */
const SHARES: readonly (readonly [Fate, number])[] = [
  ['slow', 0.012],
  ['flaky', 0.03],
  ['fails', 0.02],
  ['kills', 0.0015],
];

export function boxNamed(name: string): Box {
  const box = BOXES.find((each) => each.name === name);
  if (box === undefined) throw new Error(`there is no box "${name}"`);
  return box;
}

export function fateOf(box: Box, input: readonly number[]): Fate {
  let draw = shareOf(`${box.name} ${JSON.stringify(input)} fate`);
  for (const [fate, share] of SHARES) {
    if (draw < share) return fate;
    draw -= share;
  }
  return 'healthy';
}

export function durationMs(box: Box, input: readonly number[], leaseMs: number): number {
  const share = shareOf(`${box.name} ${JSON.stringify(input)} duration`);
  return fateOf(box, input) === 'slow' ? leaseMs * (1.1 + 0.6 * share) : 10 + 40 * share;
}

/** A number in [0, 1) from a text (FNV-1a, then the finalizer of MurmurHash3, which spreads similar texts). */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
