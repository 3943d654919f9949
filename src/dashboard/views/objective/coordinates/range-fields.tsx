/** Selects runs by two numbers on an axis: what dragging does, for the keyboard and for fingers. */
import { useId, useState } from 'preact/hooks';
import type { Range } from '../../../../presentation/plot.ts';
import { readNumber } from '../../../parts/read-number.ts';
import type { Axis, AxisKey } from '../state/axes.ts';
import { type Choice, setRange } from '../state/choice.ts';

export function RangeFields({ axes, choice }: { readonly axes: readonly Axis[]; readonly choice: Choice }) {
  const id = useId();
  const [key, setKey] = useState<AxisKey | undefined>(undefined);
  const axis = axes.find((one) => one.key === key) ?? axes[0];
  if (axis === undefined) return null;
  const range = choice.ranges.value.get(axis.key);
  const change = (part: Partial<Range>) =>
    setRange(choice, axis.key, { from: axis.scale.low, to: axis.scale.high, ...range, ...part });
  return (
    <div class="field-row">
      <label for={`${id}-axis`}>Axis</label>
      <select
        id={`${id}-axis`}
        value={axis.key}
        onChange={({ currentTarget }) => setKey(currentTarget.value as AxisKey)}
      >
        {axes.map(({ key: each, title }) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </select>
      <End id={`${id}-from`} label="from" axis={axis} value={range?.from} onChange={(from) => change({ from })} />
      <End id={`${id}-to`} label="to" axis={axis} value={range?.to} onChange={(to) => change({ to })} />
      {range !== undefined && (
        <button type="button" onClick={() => setRange(choice, axis.key, undefined)}>
          Clear
        </button>
      )}
    </div>
  );
}

interface EndProps {
  readonly id: string;
  readonly label: string;
  readonly axis: Axis;
  readonly value: number | undefined;
  readonly onChange: (value: number) => void;
}

function End({ id, label, axis, value, onChange }: EndProps) {
  const [isWrong, setWrong] = useState(false);
  if (axis.categories.length > 0) {
    return (
      <>
        <label for={id}>{label}</label>
        <select
          id={id}
          value={value === undefined ? '' : String(value)}
          onChange={({ currentTarget }) => currentTarget.value !== '' && onChange(Number(currentTarget.value))}
        >
          <option value="">any</option>
          {axis.categories.map((name, i) => (
            <option key={name} value={axis.ticks[i]}>
              {name}
            </option>
          ))}
        </select>
      </>
    );
  }
  return (
    <>
      <label for={id}>{label}</label>
      <input
        key={axis.key}
        id={id}
        class="short-field"
        inputMode="decimal"
        autocomplete="off"
        placeholder="any"
        aria-invalid={isWrong}
        value={value === undefined ? '' : shortened(value)}
        onChange={({ currentTarget }) => {
          const read = readNumber(currentTarget.value);
          setWrong(read.value === undefined && currentTarget.value.trim() !== '');
          if (read.value !== undefined) onChange(read.value);
        }}
      />
    </>
  );
}

/** A dragged end has more digits than anyone wants to read. */
function shortened(value: number): string {
  return String(Number(value.toPrecision(6)));
}
