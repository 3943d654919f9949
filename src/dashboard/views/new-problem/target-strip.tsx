/** The values that satisfy a target as a bar, with the outputs known so far as marks. */
import { type Ends, short } from '../../parts/formats.ts';

interface TargetStripProps {
  readonly name: string;
  readonly ends: Ends;
  readonly values: readonly number[];
}

const WIDTH = 160;
const HEIGHT = 18;

export function TargetStrip({ name, ends, values }: TargetStripProps) {
  const { lower, upper } = ends;
  const shown = [...values, lower, upper].filter((value) => value !== null);
  const least = Math.min(...shown);
  const most = Math.max(...shown);
  const pad = (most - least || Math.abs(most) || 1) * 0.15;
  const toX = (value: number) => (WIDTH * (value - least + pad)) / (most - least + 2 * pad);
  const from = lower === null ? 0 : toX(lower);
  const to = upper === null ? WIDTH : toX(upper);
  if (![from, to].every(Number.isFinite)) return null;
  const metCount = values.filter(
    (value) => (lower === null || value >= lower) && (upper === null || value <= upper),
  ).length;
  const words =
    values.length === 0
      ? `Interval of ${name}`
      : `${metCount} of ${values.length} outputs of ${name} lie in the interval; they range from ${short(Math.min(...values))} to ${short(Math.max(...values))}.`;
  return (
    <svg
      class="target-strip"
      role="img"
      aria-label={words}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
    >
      <title>{words}</title>
      <path class="axis" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
      <rect class="area" x={from} y={3} width={Math.max(2, to - from)} height={HEIGHT - 6} />
      {values.map((value, k) => (
        <path key={k} class="mark" d={`M${toX(value)} 1V${HEIGHT - 1}`} />
      ))}
    </svg>
  );
}
