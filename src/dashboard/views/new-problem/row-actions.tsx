/** Moves and removes a row of a table, also by keyboard. */
import { moved } from './draft.ts';
import { fieldId, focusField } from './fields.tsx';

interface RowActionsProps<Row> {
  readonly list: 'inputs' | 'outputs';
  readonly rows: readonly Row[];
  readonly i: number;
  readonly name: string;
  onRows(rows: readonly Row[]): void;
}

export function RowActions<Row>({ list, rows, i, name, onRows }: RowActionsProps<Row>) {
  const move = (by: -1 | 1) => {
    onRows(moved(rows, i, by));
    const isAtEnd = i + by === 0 || i + by === rows.length - 1;
    // At an end the button that was pressed is disabled.
    const movesUp = isAtEnd ? by === 1 : by === -1;
    focusField(`${list}/${i + by}/${movesUp ? 'up' : 'down'}`);
  };
  const remove = () => {
    onRows(rows.toSpliced(i, 1));
    if (rows.length > 1) focusField(`${list}/${Math.min(i, rows.length - 2)}/name`);
  };
  return (
    <span class="row-actions">
      <button
        type="button"
        class="quiet"
        id={fieldId(`${list}/${i}/up`)}
        aria-label={`Move ${name} up`}
        title="Move up"
        disabled={i === 0}
        onClick={() => move(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        class="quiet"
        id={fieldId(`${list}/${i}/down`)}
        aria-label={`Move ${name} down`}
        title="Move down"
        disabled={i === rows.length - 1}
        onClick={() => move(1)}
      >
        ↓
      </button>
      <button type="button" class="quiet" aria-label={`Remove ${name}`} title="Remove" onClick={remove}>
        ✕
      </button>
    </span>
  );
}
