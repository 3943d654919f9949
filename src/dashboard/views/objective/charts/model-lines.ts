/** Draws the predictions of the models as lines and areas of a chart. Needs no browser. */
import type { Predictions } from '../../../../../clients/typescript/src/index.ts';
import type { Colours } from '../../../../presentation/colours.ts';
import type { Head } from '../../../../presentation/columns.ts';
import type { DrawnAxis, DrawnSeries } from '../../../../presentation/plot.ts';
import { inputLabel, inputText } from '../../../../presentation/values.ts';

type Surface = NonNullable<Predictions['surfaces']>[number];
type ModelColours = Pick<Colours, 'accent'>;

/** Whether an input takes a few values with names. */
export function hasNames({ inputTypes }: Pick<Head, 'inputTypes'>, i: number): boolean {
  return inputTypes[i] === 'category' || inputTypes[i] === 'boolean';
}

const MOST_NAMES = 24;

export function inputAxis(head: Head, i: number): DrawnAxis {
  const label = inputLabel(head, i);
  const [low, high] = [head.minimums[i]!, head.maximums[i]!];
  if (hasNames(head, i)) {
    const every = Math.max(1, Math.ceil((high - low + 1) / MOST_NAMES));
    const names = Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, k) => low + k * every).map((at) => ({
      at,
      text: inputText(head, i, at),
    }));
    return { label, names, range: { from: low - 0.5, to: high + 0.5 } };
  }
  return { label, isLog: head.scales?.[i] === 'log' && low > 0, isWhole: head.inputTypes[i] === 'integer' };
}

/** The mean and the band of one output of a slice; points with bars where the input has names. @param k which of the outputs predicted */
export function sliceSeries(head: Head, surface: Surface, k: number, { accent: colour }: ModelColours): DrawnSeries[] {
  const { mean, low, high } = surface.outputs[k]!;
  const xs = surface.values[0]!;
  if (hasNames(head, surface.inputs[0]!)) {
    return [
      {
        ...{ label: 'The model, 95 % interval', colour, kind: 'line' as const },
        xs: xs.flatMap((x) => [x, x, x]),
        ys: xs.flatMap((_, i) => [low[i]!, high[i]!, null]),
      },
      { label: 'The model', colour, kind: 'points', shape: 'dot', xs, ys: mean },
    ];
  }
  const isAllowed = surface.isAdmissible;
  const allowed = mean.map((value, i) => (isAllowed[i] ? value : null));
  const isSomeExcluded = isAllowed.includes(false);
  return [
    { label: 'The model, 95 % interval', colour, kind: 'area', xs, ys: high, lows: low },
    ...(isSomeExcluded
      ? [{ label: 'Excluded by bounds or constraints', colour, kind: 'line' as const, dash: [2, 4], xs, ys: mean }]
      : []),
    { label: 'The model through the best run', colour, kind: 'line', xs, ys: allowed },
  ];
}
