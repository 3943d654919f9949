/** The scales of inputs as they are sent, and why. Needs no browser. */
import { describeLogByRange, isLogByRange } from '../../../../clients/typescript/src/solve/wide-range.ts';
import { readNumber } from '../../parts/read-number.ts';
import type { InputDraft } from './draft.ts';

/** Whether an input is logarithmic because its range is wide; not while its bounds are no numbers. */
function isLogBySpan(input: InputDraft): boolean {
  const [minimum, maximum] = boundsOf(input);
  const { type, scale, spacing } = input;
  if (scale !== 'auto' || minimum === undefined || maximum === undefined) return false;
  return isLogByRange({ type, minimum, maximum, step: spacing.trim() === '' || type !== 'float' ? null : 1 });
}

function boundsOf({ minimum, maximum }: InputDraft) {
  return [readNumber(minimum).value, readNumber(maximum).value];
}

export function scaleOf(input: InputDraft): 'log' | null {
  const isNumber = input.type === 'float' || input.type === 'integer';
  return isNumber && (input.scale === 'log' || isLogBySpan(input)) ? 'log' : null;
}

/** A sentence for each input that is logarithmic because of its range. */
export function describeScales(inputs: readonly InputDraft[], names: readonly string[]): readonly string[] {
  return inputs.flatMap((input, i) => {
    if (!isLogBySpan(input)) return [];
    const [minimum, maximum] = boundsOf(input);
    return [describeLogByRange(names[i]!, { minimum: minimum!, maximum: maximum! }, 'choose linear to refuse')];
  });
}
