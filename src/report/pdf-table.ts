/** A table of a PDF: as wide as its cells need, its header again on every page. */
import { PAPER } from '../presentation/colours.ts';
import type { Cell, Look, Table } from './document.ts';
import { LEFT, lineHeight, type PdfPages, type Style, WIDTH } from './pdf-page.ts';

const COLOURS: Readonly<Record<Look, string>> = {
  met: PAPER.met,
  missed: PAPER.unmet,
  best: PAPER.text,
  muted: PAPER.muted,
};
const SIZE = { usual: 8.5, dense: 6.5 };
/** Beside and above a cell, in sizes of its text. */
const PAD = { side: 0.5, top: 0.22 };
/** The same, to write by hand. */
const ROOM = { usual: 0.9, dense: 0.5 };
/** Lines of a cell; more are cut. */
const MOST_LINES = 12;
/** Factor by which a table may grow beyond what it needs, to fill the page. */
const STRETCH = 1.5;
/** Share of the width of its title that a column keeps: titles may break. */
const LEAST_TITLE = 0.5;

interface Layout {
  readonly widths: readonly number[];
  readonly size: number;
  /** Above and below the text of a cell. */
  readonly pad: number;
}

export function drawTable(pages: PdfPages, table: Table): void {
  const size = table.isDense ? SIZE.dense : SIZE.usual;
  const layout = {
    widths: widthsOf(pages, table, size),
    size,
    pad: (table.hasRoom ? ROOM[table.isDense ? 'dense' : 'usual'] : PAD.top) * size,
  };
  const head = linesOf(
    pages,
    table.columns.map(({ title }) => title),
    layout,
    'bold',
  );
  const drawHead = () => drawRow(pages, table, head, layout, PAPER.raised);
  pages.ensure(heightOf(head, layout) + 3 * lineHeight(size));
  drawHead();
  for (const row of table.rows) {
    const cells = linesOf(pages, row, layout);
    if (pages.ensure(heightOf(cells, layout))) drawHead();
    drawRow(pages, table, cells, layout);
  }
  pages.y += size;
}

interface DrawnCell {
  readonly lines: readonly string[];
  readonly style: Style;
}

function linesOf(pages: PdfPages, row: readonly Cell[], { widths, size }: Layout, font?: 'bold'): readonly DrawnCell[] {
  return row.map((cell, c) => {
    const style = styleOf(cell, size, font);
    const lines = pages.wrap(textOf(cell), style, widths[c]! - 2 * PAD.side * size);
    return { style, lines: lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES - 1), '…'] : lines };
  });
}

function heightOf(cells: readonly DrawnCell[], { size, pad }: Layout): number {
  return Math.max(...cells.map(({ lines }) => lines.length)) * lineHeight(size) + 2 * pad;
}

function drawRow(
  pages: PdfPages,
  { columns }: Table,
  cells: readonly DrawnCell[],
  layout: Layout,
  ground?: string,
): void {
  const { widths, size, pad } = layout;
  const height = heightOf(cells, layout);
  const width = widths.reduce((sum, one) => sum + one, 0);
  if (ground !== undefined) pages.box(LEFT, pages.y, width, height, ground);
  let x = LEFT;
  cells.forEach(({ lines, style }, c) => {
    lines.forEach((line, i) => {
      const room = widths[c]! - PAD.side * size;
      const at = columns[c]!.isNumber ? x + room - pages.widthOf(line, style) : x + PAD.side * size;
      pages.write(line, at, pages.y + pad + i * lineHeight(size), style);
    });
    x += widths[c]!;
  });
  pages.y += height;
  pages.rule(LEFT, pages.y, width);
}

/** As wide as the cells are, the widest ones less where that is too much. */
function widthsOf(pages: PdfPages, { columns, rows, hasRoom }: Table, size: number): readonly number[] {
  const wanted = columns.map(({ title }, c) => {
    const bold: Style = { font: 'bold', size, colour: PAPER.text };
    let most = pages.widthOf(title.slice(0, 200), bold) * LEAST_TITLE;
    for (const word of title.split(' ')) most = Math.max(most, Math.min(pages.widthOf(word, bold), 6 * size));
    for (const row of rows) most = Math.max(most, pages.widthOf(textOf(row[c]!).slice(0, 200), styleOf(row[c]!, size)));
    return most + 2 * PAD.side * size + 1;
  });
  const sum = wanted.reduce((total, one) => total + one, 0);
  if (hasRoom && sum <= WIDTH) return wanted.map((one, c) => (c === wanted.length - 1 ? one + WIDTH - sum : one));
  if (sum <= WIDTH) return wanted.map((one) => one * Math.min(STRETCH, WIDTH / sum));
  const cap = capOf(wanted);
  return wanted.map((one) => Math.min(one, cap));
}

/** The width at which the widest columns are cut so that all fill the page. */
function capOf(wanted: readonly number[]): number {
  const sorted = wanted.toSorted((a, b) => a - b);
  let left = WIDTH;
  for (const [i, one] of sorted.entries()) {
    const share = left / (sorted.length - i);
    if (one > share) return share;
    left -= one;
  }
  return WIDTH;
}

const textOf = (cell: Cell) => (typeof cell === 'string' ? cell : cell.text);

function styleOf(cell: Cell, size: number, font?: 'bold'): Style {
  const look = typeof cell === 'string' ? undefined : cell.look;
  return {
    font: font ?? (look === 'best' ? 'bold' : 'regular'),
    size,
    colour: look === undefined ? PAPER.text : COLOURS[look],
  };
}
