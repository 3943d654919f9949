/** The values that satisfy a target, and the range of the outputs known so far. */

import { isInside, spanOf } from '../../../presentation/distances.ts';
import { type Ends, short } from '../../../presentation/formats.ts';
import { Strip } from '../../parts/strip.tsx';

interface TargetStripProps {
  readonly name: string;
  readonly ends: Ends;
  readonly values: readonly number[];
}

export function TargetStrip({ name, ends, values }: TargetStripProps) {
  const seen = spanOf(Float64Array.from(values));
  const metCount = values.filter((value) => isInside(ends, value)).length;
  const words =
    seen === undefined
      ? `Interval of ${name}`
      : `${metCount} of ${values.length} outputs of ${name} are in the interval; they range from ${short(seen.low)} to ${short(seen.high)}.`;
  return (
    <>
      <Strip label={words} seen={seen} lower={ends.lower} upper={ends.upper} best={undefined} latest={undefined} />
      {seen !== undefined && (
        <span class="hint">
          known: {short(seen.low)} … {short(seen.high)}
        </span>
      )}
    </>
  );
}
