import type { ComponentChildren } from 'preact';
import { ScrollBox } from './scroll-box.tsx';

/** A number in short form and with all digits, or a text. */
type Cell = string | { readonly text: string; readonly full: string };

interface Props {
  readonly summary: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Shown below the table. */
  readonly children?: ComponentChildren;
}

/** The data of a chart as a collapsed table. Numbers are right-aligned. */
export function ChartTable({ summary, head, rows, children }: Props) {
  const kindOf = (column: number) => (typeof rows[0]?.[column] === 'object' ? 'number' : '');
  return (
    <details>
      <summary>{summary}</summary>
      <ScrollBox label={summary}>
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
      </ScrollBox>
      {children}
    </details>
  );
}
