/** Says in sentences what the models tell about the inputs of a calibration. */
import type { Combination, Identifiability, InputRange, ValueRange } from '../../optimizer/interface/insights.ts';

/** Digits of a value in a sentence. */
const DIGITS = 3;

/** One sentence per input with a range, then one per combination. @param names of the inputs */
export function describeIdentifiability(found: Identifiability, names: readonly string[]): readonly string[] {
  const percent = `${Number((100 * found.confidence).toPrecision(3))} %`;
  return [
    ...found.ranges.flatMap((range, v) => (range.kind === 'range' ? [describeRange(range, names[v]!, percent)] : [])),
    ...found.combinations.map((combination) => describeCombination(combination, names)),
  ];
}

function describeRange(range: Extract<InputRange, { kind: 'range' }>, name: string, percent: string): string {
  const { fits, gaps, possible } = range;
  const except = gaps.length === 0 ? '' : ` except ${gaps.map(show).join(' and ')}`;
  return `${name}: ${show(fits)}${except} fits with ${percent} probability while the other inputs adapt; outside ${show(possible)} nothing does.`;
}

function describeCombination({ loadings, ends: [from, to] }: Combination, names: readonly string[]): string {
  const involved = loadings.flatMap((loading, v) => (loading === 0 ? [] : [v]));
  const point = (x: readonly number[]) => involved.map((v) => `${names[v]} = ${round(x[v]!)}`).join(', ');
  const called = involved.map((v) => names[v]!);
  const what =
    called.length === 1
      ? `The outputs do not determine ${called[0]}`
      : `The outputs do not tell ${called.slice(0, -1).join(', ')} and ${called.at(-1)} apart`;
  return `${what}: everything from ${point(from)} to ${point(to)} fits.`;
}

function show({ low, high }: ValueRange): string {
  return low === high ? String(round(low)) : `${round(low)} to ${round(high)}`;
}

function round(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
