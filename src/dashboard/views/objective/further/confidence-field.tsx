/** A probability to state before an answer is computed, from 50 to 99 percent. */
import { useId } from 'preact/hooks';

interface Props {
  readonly label: string;
  /** In percent. */
  readonly value: number;
  /** Value that an empty field stands for. */
  readonly usual: number;
  onChange(percent: number): void;
}

export function ConfidenceField({ label, value, usual, onChange }: Props) {
  const id = useId();
  return (
    <span class="field-row">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="short-field"
        type="number"
        min={50}
        max={99}
        value={value}
        onChange={({ currentTarget }) =>
          onChange(Math.max(50, Math.min(99, Math.round(currentTarget.valueAsNumber) || usual)))
        }
      />
    </span>
  );
}
