/** Advice on runs that contradict all others, and on repeats that differ by noise. */
import type { Advice } from '../interface/insights.ts';
import type { Prepared } from '../search/prepare.ts';
import type { SetAside } from '../surrogate/contradictions.ts';

/** The most runs to name. */
const MOST = 10;

export function adviseOnWrongRuns({ request, examined }: Prepared): readonly Advice[] {
  const m = request.goal.targets.length;
  const noisy = examined.noisyRepeats.flat();
  const advice = toldOnce(examined.setAside)
    .slice(0, MOST)
    .map((one) => adviceOn(one, request.history.Y, m));
  return noisy.length > 0 ? [...advice, { kind: 'noisy-runs', outputs: [], rows: noisy.slice(0, MOST) }] : advice;
}

/** Without those that the advice on unclear repeats at their input names already. */
function toldOnce(setAside: readonly SetAside[]): readonly SetAside[] {
  const isTold = ({ row, mayBeNoise }: SetAside, before: readonly SetAside[]) =>
    mayBeNoise && before.some(({ repeats }) => repeats.includes(row));
  return setAside.filter((one, k) => !isTold(one, setAside.slice(0, k)));
}

function adviceOn({ row, output, predicted, repeats, mayBeNoise }: SetAside, Y: Float64Array, m: number): Advice {
  const about = { outputs: [output], rows: [row, ...repeats] };
  if (repeats.length > 0) return { kind: mayBeNoise ? 'repeats-unclear' : 'repeats-disagree', ...about };
  const isKnown = predicted !== null && Number.isFinite(predicted);
  return { kind: 'wrong-run', ...about, value: Y[row * m + output]!, predicted: isKnown ? predicted : null };
}
