/** Writes a report as one HTML file that loads nothing and runs nothing. It prints on A4 and Letter. */
import { createHash } from 'node:crypto';
import { PAPER } from '../presentation/colours.ts';
import { escapeXml, layOut, writeSvg } from '../presentation/drawing.ts';
import type { Block, Cell, Chart, Download, Report, Table } from './document.ts';
import { frameOf } from './frames.ts';

const STYLES = `
:root { color-scheme: light; --text: ${PAPER.text}; --muted: ${PAPER.muted}; --line: ${PAPER.line}; --raised: ${PAPER.raised}; }
* { box-sizing: border-box; }
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 60rem; background: #fff; color: var(--text); font: 0.9375rem/1.45 ${PAPER.font}; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2; }
h2 { margin: 2rem 0 0.5rem; padding-bottom: 0.2rem; border-bottom: 1px solid var(--line); font-size: 1.2rem; }
h3 { margin: 1.2rem 0 0.4rem; font-size: 1rem; }
h1, p, li, figcaption, pre, tbody th { overflow-wrap: anywhere; }
th, td { overflow-wrap: break-word; }
p { margin: 0.5rem 0; }
.facts { color: var(--muted); }
.state { font-weight: 600; color: var(--text); }
.lead { font-size: 1.1rem; font-weight: 600; }
.downloads a { margin-right: 1rem; color: inherit; }
.hint { color: var(--muted); font-size: 0.85rem; }
.warning { padding: 0.4rem 0.6rem; background: #fff3d6; color: #5c4300; }
table { width: 100%; margin: 0.5rem 0; border-collapse: collapse; font-size: 0.875rem; }
table.dense { font-size: 0.75rem; }
th, td { padding: 0.2rem 0.5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
table.dense th, table.dense td { padding: 0.1rem 0.35rem; }
thead th { background: var(--raised); }
tbody th { min-width: 6rem; font-weight: 400; }
table.dense tbody th { min-width: 0; }
tbody .number { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.met { color: ${PAPER.met}; }
.missed { color: ${PAPER.unmet}; }
.best { font-weight: 600; }
.muted { color: var(--muted); }
pre { margin: 0.5rem 0; padding: 0.5rem 0.75rem; background: var(--raised); font-size: 0.8rem; white-space: pre-wrap; }
table.room td:last-child { width: 50%; height: 2.2rem; border: 1px solid var(--muted); }
.scan { display: flex; align-items: center; gap: 1.25rem; margin: 0.75rem 0; }
.scan svg { flex: none; width: 9rem; }
.charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.75rem; }
figure { margin: 0; }
figure.wide { grid-column: 1 / -1; }
figcaption { font-size: 0.85rem; }
svg { display: block; width: 100%; height: auto; }
@media (max-width: 40rem) {
  body { margin: 1rem auto; padding: 0 0.75rem; }
  .charts { grid-template-columns: minmax(0, 1fr); }
  table, table.dense { font-size: 0.75rem; }
  th, td, table.dense th, table.dense td { min-width: 0; padding: 0.1rem 0.3rem; }
}
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10pt; }
  .downloads { display: none; }
  h2, h3 { break-after: avoid; }
  tr, figure, pre { break-inside: avoid; }
  thead { display: table-header-group; }
  thead th, .warning, pre { print-color-adjust: exact; }
}
`;

/** Allows the styles below and nothing else; also in the file, for when it is opened from a disk. */
export const REPORT_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLES).digest('base64')}'`;

export function writeHtml(report: Report): string {
  const { title, facts, state, changedAt, downloads = [], blocks } = report;
  const lines = [
    `<p class="facts"><span class="state">${escapeXml(state)}</span> · ${facts.map((fact) => `<bdi>${escapeXml(fact)}</bdi>`).join(' · ')}</p>`,
    ...(downloads.length === 0 ? [] : [writeDownloads(downloads)]),
    ...blocks.map(writeBlock),
  ];
  return writePage(title, `<meta name="last-modified" content="${escapeXml(changedAt)}">\n`, lines);
}

/** A page that says one thing, in the look of a report; `more` is HTML. */
export function writeNotice(title: string, text: string, more: readonly string[] = []): string {
  return writePage(title, '', [`<p>${escapeXml(text)}</p>`, ...more]);
}

function writePage(title: string, meta: string, lines: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${REPORT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
${meta}<title>${escapeXml(title)}</title>
<style>${STYLES}</style>
</head>
<body>
<main>
<h1 dir="auto">${escapeXml(title)}</h1>
${lines.join('\n')}
</main>
</body>
</html>
`;
}

function writeDownloads(downloads: readonly Download[]): string {
  const links = downloads.map(({ text, href }) => `<a href="${escapeXml(href)}">${escapeXml(text)}</a>`);
  return `<nav class="downloads" aria-label="Download">${links.join('')}</nav>`;
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} dir="auto">${escapeXml(block.text)}</h${block.level}>`;
    case 'text':
      return `<p dir="auto"${block.look === undefined ? '' : ` class="${block.look}"`}>${escapeXml(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li dir="auto">${escapeXml(item)}</li>`).join('')}</ul>`;
    case 'code':
      return `<pre>${block.lines.map(escapeXml).join('\n')}</pre>`;
    case 'charts':
      return `<div class="charts">${block.charts.map(writeChart).join('\n')}</div>`;
    case 'scan':
      return writeScan(block);
    case 'table':
      return writeTable(block);
  }
}

function writeChart(chart: Chart): string {
  const { drawing, caption, isWide } = chart;
  const svg = writeSvg(layOut(drawing, PAPER, frameOf(chart))).trimEnd();
  const named = svg.replace('<svg ', `<svg role="img" aria-label="${escapeXml(caption)}" `);
  return `<figure${isWide ? ' class="wide"' : ''}><figcaption dir="auto">${escapeXml(caption)}</figcaption>${named}</figure>`;
}

function writeScan({ address, text, picture }: Extract<Block, { kind: 'scan' }>): string {
  const svg = writeSvg(picture, '#ffffff')
    .trimEnd()
    .replace('<svg ', `<svg role="img" aria-label="${escapeXml(`Code of ${address}`)}" `);
  return `<div class="scan">${svg}<div><p>${escapeXml(text)}</p><p class="hint">${escapeXml(address)}</p></div></div>`;
}

function writeTable({ label, columns, rows, isDense, hasRoom }: Table): string {
  const cell = (tag: string, content: Cell, c: number, more = '') => {
    const [text, look] = typeof content === 'string' ? [content, ''] : [content.text, content.look];
    const classes = [columns[c]!.isNumber ? 'number' : '', look].filter((name) => name !== '').join(' ');
    return `<${tag}${more}${classes === '' ? '' : ` class="${classes}"`}><bdi>${escapeXml(text)}</bdi></${tag}>`;
  };
  const head = columns.map(({ title }, c) => cell('th', title, c, ' scope="col"')).join('');
  const body = rows.map(
    (row) =>
      `<tr>${row.map((one, c) => (c === 0 ? cell('th', one, c, ' scope="row"') : cell('td', one, c))).join('')}</tr>`,
  );
  const looks = [isDense ? 'dense' : '', hasRoom ? 'room' : ''].filter((name) => name !== '').join(' ');
  return `<table${looks === '' ? '' : ` class="${looks}"`} aria-label="${escapeXml(label)}">
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table>`;
}
