/** The user's own runs: the use of each column, and a preview with the faults at their cells. */

import { useMemo, useState } from 'preact/hooks';
import { counted } from '../../../presentation/formats.ts';
import type { Rows } from '../../parts/paste.ts';
import { type Draft, namesOfRows } from './draft.ts';
import { described, FaultBlock, fieldId } from './fields.tsx';
import { readOwnCases, readOwnTable } from './own-data.ts';
import { Pager } from './pager.tsx';
import type { Faults } from './requests.ts';
import { change, draft, faults } from './store.ts';
import { TakeTable } from './take-table.tsx';

const ROWS = 25;

export function OwnDataTable() {
  const { inputs, outputs, own } = draft.value;
  const take = (rows: Rows) => {
    const table = readOwnTable(rows, { inputs, outputs });
    if (table.rows.length === 0) return 'No row has values.';
    change({ own: table }, 'own', 'columns');
    return `${counted(table.rows.length, 'row')} read.`;
  };
  return (
    <>
      <TakeTable
        label="Your runs"
        hint="One row per run and one column per input and output, preferably with their names in a header. A row without outputs counts as a failed run."
        onRows={take}
      />
      <FaultBlock path="own" />
      {own !== null && <Preview own={own} />}
    </>
  );
}

type Own = NonNullable<Draft['own']>;

function Preview({ own }: { readonly own: Own }) {
  const current = draft.value;
  const { inputs, outputs } = current;
  const [firstRow, setFirstRow] = useState(0);
  const read = useMemo(() => readOwnCases(current), [own, inputs, outputs]);
  // Faults found by the service are shown together with those found here.
  const known: Faults = { ...read.faults, ...faults.value };
  const wrongRows = rowsWith(known);
  const from = Math.min(firstRow, Math.max(0, own.rows.length - 1));
  const shown = own.rows.slice(from, from + ROWS).map((_, k) => from + k);
  const options = [
    ...namesOfRows(inputs, 'x').map((name, i) => ({ use: `x${i}`, label: `input ${name}` })),
    ...namesOfRows(outputs, 'y').map((name, j) => ({ use: `y${j}`, label: `output ${name}` })),
  ];
  const leaveOut = () => change({ own: { ...own, rows: own.rows.filter((_, r) => !wrongRows.has(r)) } }, 'own');
  const failedCount = read.failedCases.length;
  return (
    <>
      {known['columns'] !== undefined && (
        <p id={fieldId('columns')} class="fault" tabIndex={-1} role="alert">
          {known['columns']}
        </p>
      )}
      <p>
        {counted(own.rows.length, 'run')}
        {failedCount > 0 && `, ${failedCount} of them failed (no outputs)`}
        {wrongRows.size > 0 && `; ${counted(wrongRows.size, 'row has', 'rows have')} errors`}.
      </p>
      <div class="actions">
        {wrongRows.size > 0 && wrongRows.size < own.rows.length && (
          <>
            <button type="button" onClick={leaveOut}>
              Leave out the rows with errors
            </button>
            <button type="button" onClick={() => setFirstRow(Math.min(...wrongRows))}>
              Go to the first
            </button>
          </>
        )}
        <button type="button" onClick={() => change({ own: null }, 'own', 'columns')}>
          Remove this table
        </button>
        <Pager
          what="Rows"
          count={own.rows.length}
          size={ROWS}
          from={from}
          onFrom={(row) => setFirstRow(Math.max(0, row))}
        />
      </div>
      <div class="scroll-box">
        <table class="cases own">
          <thead>
            <tr>
              <th scope="col">Row</th>
              {own.titles.map((title, c) => (
                // Columns have no name of their own: titles may repeat.
                <th key={c} scope="col">
                  <span class="title">{title}</span>
                  <UseChoice own={own} c={c} options={options} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((r) => (
              <tr key={r} id={fieldId(`own/${r}`)} tabIndex={-1}>
                <th scope="row">
                  {r + 1}
                  {known[`own/${r}`] !== undefined && <span class="fault">{known[`own/${r}`]}</span>}
                </th>
                {own.rows[r]!.map((cell, c) => (
                  <td key={c} class={own.uses[c] === '' ? 'unused' : undefined}>
                    <OwnCell own={own} r={r} c={c} cell={cell} fault={known[`own/${r}/${c}`]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface UseChoiceProps {
  readonly own: Own;
  readonly c: number;
  readonly options: readonly { readonly use: string; readonly label: string }[];
}

/** Each column has one use, and each use has one column. */
function UseChoice({ own, c, options }: UseChoiceProps) {
  const choose = (use: string) => {
    const uses = own.uses.map((other) => (other === use ? '' : other)).with(c, use);
    change({ own: { ...own, uses } }, 'own', 'columns');
  };
  return (
    <select
      aria-label={`What ${own.titles[c]} is`}
      value={own.uses[c]}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="">not used</option>
      {options.map(({ use, label }) => (
        <option key={use} value={use}>
          {label}
        </option>
      ))}
    </select>
  );
}

interface OwnCellProps {
  readonly own: Own;
  readonly r: number;
  readonly c: number;
  readonly cell: string;
  readonly fault: string | undefined;
}

/** A cell as it was read; with a fault, a field to mend it. */
function OwnCell({ own, r, c, cell, fault }: OwnCellProps) {
  if (fault === undefined) return cell;
  return (
    <>
      <input
        {...described(`own/${r}/${c}`)}
        aria-invalid="true"
        aria-label={`${own.titles[c]} of row ${r + 1}`}
        value={cell}
        onChange={({ currentTarget }) => {
          const row = own.rows[r]!.with(c, currentTarget.value);
          change({ own: { ...own, rows: own.rows.with(r, row) } }, `own/${r}/${c}`);
        }}
      />
      <span class="fault">{fault}</span>
    </>
  );
}

function rowsWith(known: Faults): ReadonlySet<number> {
  const rows = Object.keys(known).flatMap((path) => {
    const row = /^own\/(\d+)/.exec(path)?.[1];
    return row === undefined ? [] : [Number(row)];
  });
  return new Set(rows);
}
