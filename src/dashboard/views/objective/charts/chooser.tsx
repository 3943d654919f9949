/** Charts shown side by side. */
export const MOST_CHARTS = 24;

interface Props {
  readonly label: string;
  /** Words for all of them; absent: one is always chosen. */
  readonly all?: string;
  readonly names: readonly string[];
  readonly chosen: number | undefined;
  onChoose(chosen: number | undefined): void;
}

/** One of some names, or all. */
export function Chooser({ label, all, names, chosen, onChoose }: Props) {
  return (
    <label>
      {label}{' '}
      <select
        value={chosen ?? ''}
        onChange={({ currentTarget: { value } }) => onChoose(value === '' ? undefined : Number(value))}
      >
        {all !== undefined && <option value="">{all}</option>}
        {names.map((name, k) => (
          <option key={k} value={k}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
