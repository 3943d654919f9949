import type { ComponentChildren } from 'preact';

/** A number as shown, and with all its digits; or a text. */
type Cell = string | { readonly text: string; readonly full: string };

interface Props {
  readonly summary: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Below the table. */
  readonly children?: ComponentChildren;
}

/** What a chart shows as a table, folded away. Columns of numbers stand to the right. */
export function ChartTable({ summary, head, rows, children }: Props) {
  const kindOf = (column: number) => (typeof rows[0]?.[column] === 'object' ? 'number' : '');
  return (
    <details>
      <summary>{summary}</summary>
      <div class="scroll-box">
        <table>
          <thead>
            <tr>
              {head.map((title, c) => (
                <th key={c} scope="col" class={kindOf(c)}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, r) => (
              <tr key={r}>
                {cells.map((cell, c) =>
                  typeof cell === 'string' ? (
                    <td key={c}>{cell}</td>
                  ) : (
                    <td key={c} class="number" title={cell.full}>
                      {cell.text}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {children}
    </details>
  );
}
