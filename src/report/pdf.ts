/** Writes a report as a PDF. The same report gives the same bytes everywhere. */
import { PAPER } from '../presentation/colours.ts';
import { layOut } from '../presentation/drawing.ts';
import type { Block, Chart, Report } from './document.ts';
import { frameOf } from './frames.ts';
import { type Fonts, LEFT, lineHeight, PdfPages, type Style, WIDTH } from './pdf-page.ts';
import { drawTable } from './pdf-table.ts';

const text = (size: number, more: Partial<Style> = {}): Style => ({
  font: 'regular',
  size,
  colour: PAPER.text,
  ...more,
});

const TITLE = text(18, { font: 'bold' });
const FACTS = text(8.5, { colour: PAPER.muted });
const HEADINGS = { 2: text(13, { font: 'bold' }), 3: text(10, { font: 'bold' }) };
const TEXTS = {
  usual: text(9),
  lead: text(11, { font: 'bold' }),
  hint: text(7.5, { colour: PAPER.muted }),
  warning: text(9, { colour: '#5c4300' }),
};
const CODE = text(7.5);
const CAPTION = text(8);
/** Between two charts. */
const GAP = 12;
const BULLET = 10;
/** Read from an arm's length, also of an address of 100 characters. */
const CODE_SIZE = 100;

export async function writePdf(report: Report, fonts: Fonts): Promise<Uint8Array<ArrayBuffer>> {
  const pages = new PdfPages(report.title, report.changedAt, fonts);
  pages.paragraph(report.title, TITLE);
  pages.y += 2;
  pages.paragraph([report.state, ...report.facts].join('  ·  '), FACTS);
  for (const [i, block] of report.blocks.entries()) drawBlock(pages, block, report.blocks[i + 1]);
  return pages.finish(report.title);
}

function drawBlock(pages: PdfPages, block: Block, next: Block | undefined): void {
  switch (block.kind) {
    case 'heading': {
      const style = HEADINGS[block.level];
      pages.y += style.size;
      // Never alone at the foot of a page.
      pages.ensure(lineHeight(style.size) + leastHeight(next));
      if (block.level === 2) pages.bookmark(block.text);
      pages.paragraph(block.text, style);
      if (block.level === 2) pages.rule(LEFT, pages.y, WIDTH);
      pages.y += 4;
      return;
    }
    case 'text':
      pages.paragraph(block.text, TEXTS[block.look ?? 'usual']);
      pages.y += 3;
      return;
    case 'list':
      for (const item of block.items) {
        pages.ensure(lineHeight(TEXTS.usual.size));
        pages.write('•', LEFT, pages.y, TEXTS.usual);
        pages.paragraph(item, TEXTS.usual, BULLET);
      }
      pages.y += 3;
      return;
    case 'code':
      for (const line of block.lines) pages.paragraph(line, CODE, BULLET);
      pages.y += 3;
      return;
    case 'scan':
      drawScan(pages, block);
      return;
    case 'charts':
      drawCharts(pages, block.charts);
      return;
    case 'table':
      drawTable(pages, block);
      return;
  }
}

function drawScan(pages: PdfPages, { picture, text, address }: Extract<Block, { kind: 'scan' }>): void {
  const x = LEFT + CODE_SIZE + GAP;
  const lines = [text, address].flatMap((one, i) => {
    const style = i === 0 ? TEXTS.usual : TEXTS.hint;
    return pages.wrap(one, style, LEFT + WIDTH - x).map((line) => ({ line, style }));
  });
  pages.y += GAP;
  pages.ensure(CODE_SIZE);
  pages.picture(picture, LEFT, pages.y, CODE_SIZE);
  let y = pages.y + 30;
  for (const { line, style } of lines) {
    pages.write(line, x, y, style);
    y += lineHeight(style.size);
  }
  pages.y += CODE_SIZE;
}

/** Height of the beginning of a block that belongs below a heading. */
function leastHeight(block: Block | undefined): number {
  if (block?.kind !== 'charts') return 60;
  const [first] = block.charts;
  if (first === undefined) return 60;
  const { width, height } = frameOf(first);
  return 80 + (height / width) * (first.isWide ? WIDTH : WIDTH / 2);
}

/** Wide ones by themselves, others in pairs. */
function drawCharts(pages: PdfPages, charts: readonly Chart[]): void {
  for (let i = 0; i < charts.length; ) {
    const isWide = charts[i]!.isWide;
    const row = isWide || charts[i + 1]?.isWide !== false ? [charts[i]!] : [charts[i]!, charts[i + 1]!];
    drawChartRow(pages, row, isWide ? WIDTH : (WIDTH - GAP) / 2);
    i += row.length;
  }
}

function drawChartRow(pages: PdfPages, charts: readonly Chart[], width: number): void {
  const placed = charts.map((chart) => {
    const picture = layOut(chart.drawing, PAPER, frameOf(chart));
    const lines = pages.wrap(chart.caption, CAPTION, width).slice(0, 3);
    return { picture, lines, height: (picture.height * width) / picture.width };
  });
  const captionHeight = Math.max(...placed.map(({ lines }) => lines.length)) * lineHeight(CAPTION.size) + 2;
  const height = captionHeight + Math.max(...placed.map((one) => one.height));
  pages.ensure(height);
  placed.forEach(({ picture, lines }, k) => {
    const x = LEFT + k * (width + GAP);
    for (const [i, line] of lines.entries()) pages.write(line, x, pages.y + i * lineHeight(CAPTION.size), CAPTION);
    pages.picture(picture, x, pages.y + captionHeight, width);
  });
  pages.y += height + 6;
}
