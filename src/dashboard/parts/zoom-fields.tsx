import type { Signal } from '@preact/signals';
import type { Range } from '../../presentation/plot.ts';

interface Props {
  readonly label: string;
  readonly zoom: Signal<Range | undefined>;
  /** The range without a zoom. */
  readonly all: Range;
  readonly isWhole?: boolean;
}

/** Zooms by keyboard, like dragging across a chart. */
export function ZoomFields({ label, zoom, all, isWhole = false }: Props) {
  const { from, to } = zoom.value ?? all;
  const change = (range: Range) => {
    if (range.to > range.from) zoom.value = range;
  };
  const field = (label: string, value: number, then: (value: number) => void) => (
    <label>
      {label}{' '}
      <input
        class="short-field"
        type="number"
        step={isWhole ? 1 : 'any'}
        min={all.from}
        max={all.to}
        value={isWhole ? Math.round(value) : Number(value.toPrecision(5))}
        onChange={({ currentTarget }) => then(currentTarget.valueAsNumber)}
      />
    </label>
  );
  return (
    <span class="field-row">
      {field(label, from, (value) => change({ from: value, to }))}
      {field('to', to, (value) => change({ from, to: value }))}
      {zoom.value !== undefined && (
        <button type="button" onClick={() => (zoom.value = undefined)}>
          Show all
        </button>
      )}
    </span>
  );
}
