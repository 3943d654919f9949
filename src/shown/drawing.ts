/** Draws a chart as SVG text, to be saved: with title, axes and legend, unlike the chart on the page. */
import {
  type Drawing,
  type DrawnBand,
  type DrawnCells,
  type DrawnSeries,
  type PlotColours,
  rangeOf,
  type Shape,
  scaleOf,
  ticksIn,
  valueIn,
} from './plot.ts';

const WIDTH = 960;
const HEIGHT = 540;
const BOX = { left: 90, right: 930, top: 60, bottom: 460 };
const LEGEND_LINE = 20;
const TICKS = 6;

const escapeXml = (text: string) =>
  // XML allows no other characters, not even as references; one would make the whole picture unreadable.
  text
    .replaceAll(/[^\t\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

type Place = (value: number) => number;

const round = (pixels: number) => Math.round(pixels * 100) / 100;
const clamp = (share: number) => Math.min(1, Math.max(0, share));

export function drawSvg(drawing: Drawing, colours: PlotColours): string {
  const { title, x, y, series, bands = [], cells } = drawing;
  const ranges = { x: rangeOf(drawing, 'x'), y: rangeOf(drawing, 'y') };
  const [shareX, shareY] = [scaleOf(x, ranges.x), scaleOf(y, ranges.y)];
  const toX = (value: number) => round(BOX.left + clamp(shareX(value)) * (BOX.right - BOX.left));
  const toY = (value: number) => round(BOX.bottom - clamp(shareY(value)) * (BOX.bottom - BOX.top));
  const text = (left: number, top: number, words: string, rest = '') =>
    `<text x="${left}" y="${top}" fill="${colours.text}" ${rest}>${escapeXml(words)}</text>`;
  const parts = [
    `<rect width="100%" height="100%" fill="${colours.ground}"/>`,
    text(BOX.left, 30, title, 'font-size="18" font-weight="600"'),
    ...(cells ? [drawCells(cells, toX, toY)] : []),
    ...bands.map((band) => drawBand(band, band.axis === 'x' ? toX : toY, colours['met-area'])),
    ...ticksIn(x, ranges.x, TICKS).flatMap(({ at, text: words }) => [
      `<path d="M${toX(at)} ${BOX.top}V${BOX.bottom}" stroke="${colours.line}"/>`,
      text(toX(at), BOX.bottom + 20, words, 'text-anchor="middle"'),
    ]),
    ...ticksIn(y, ranges.y, TICKS).flatMap(({ at, text: words }) => [
      `<path d="M${BOX.left} ${toY(at)}H${BOX.right}" stroke="${colours.line}"/>`,
      text(BOX.left - 8, toY(at) + 4, words, 'text-anchor="end"'),
    ]),
    text((BOX.left + BOX.right) / 2, BOX.bottom + 44, x.label, 'text-anchor="middle"'),
    text(0, 0, y.label, `text-anchor="middle" transform="translate(20 ${(BOX.top + BOX.bottom) / 2}) rotate(-90)"`),
    ...series.map((one) => `<g${one.isFaint ? ' opacity="0.4"' : ''}>${drawSeries(one, toX, toY)}</g>`),
    ...series.map(({ label, colour }, i) => {
      const top = HEIGHT + i * LEGEND_LINE;
      return `<rect x="${BOX.left}" y="${top - 10}" width="18" height="10" fill="${colour}"/>${text(BOX.left + 26, top, label)}`;
    }),
  ];
  const height = HEIGHT + series.length * LEGEND_LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13">${parts.join('')}</svg>\n`;
}

function drawBand({ axis, from, to }: DrawnBand, place: Place, colour: string): string {
  const [low, high] = axis === 'x' ? [BOX.left, BOX.right] : [BOX.bottom, BOX.top];
  const a = from === null ? low : place(from);
  const b = to === null ? high : place(to);
  const [near, size] = [Math.min(a, b), round(Math.max(1, Math.abs(a - b)))];
  return axis === 'x'
    ? `<rect x="${near}" y="${BOX.top}" width="${size}" height="${BOX.bottom - BOX.top}" fill="${colour}" fill-opacity="0.6"/>`
    : `<rect x="${BOX.left}" y="${near}" width="${BOX.right - BOX.left}" height="${size}" fill="${colour}" fill-opacity="0.6"/>`;
}

function drawCells({ xEnds, yEnds, shares, colour }: DrawnCells, toX: Place, toY: Place): string {
  const rows = yEnds.length - 1;
  const cells = shares.map((share, k) => {
    if (share === null) return '';
    const [column, row] = [Math.floor(k / rows), k % rows];
    const [left, top] = [toX(xEnds[column]!), toY(yEnds[row + 1]!)];
    const [width, height] = [round(toX(xEnds[column + 1]!) - left), round(toY(yEnds[row]!) - top)];
    return `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill-opacity="${round(share)}"/>`;
  });
  return `<g fill="${colour}" shape-rendering="crispEdges">${cells.join('')}</g>`;
}

function drawSeries(
  { kind, colour, dash, xs, ys, lows, shape = 'dot', path: outline }: DrawnSeries,
  toX: Place,
  toY: Place,
): string {
  const points = Array.from({ length: xs.length }, (_, i) => ({
    x: valueIn(xs, i),
    y: valueIn(ys, i),
    low: lows ? valueIn(lows, i) : null,
  }));
  const drawn = points.filter((point) => point.x !== null && (point.y !== null || shape === 'top-cross'));
  if (kind === 'area') {
    const ends = drawn.filter(({ low }) => low !== null);
    const [up, down] = [
      ends.map(({ x, y }) => `${toX(x!)} ${toY(y!)}`),
      ends.map(({ x, low }) => `${toX(x!)} ${toY(low!)}`),
    ];
    return `<path d="M${[...up, ...down.toReversed()].join('L')}Z" fill="${colour}" fill-opacity="0.2"/>`;
  }
  // A single point is not visible as a line.
  if (kind === 'points' || drawn.length === 1) {
    return drawn
      .map(({ x, y }) => drawPoint(outline ?? shape, toX(x!), y === null ? BOX.top + 6 : toY(y), colour))
      .join('');
  }
  let path = '';
  let isDown = false;
  for (const { x, y } of points) {
    const isThere = x !== null && y !== null;
    if (isThere && isDown && kind === 'steps') path += `H${toX(x)}V${toY(y)}`;
    else if (isThere) path += `${isDown ? 'L' : 'M'}${toX(x)} ${toY(y)}`;
    isDown = isThere;
  }
  const pattern = dash === undefined ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${pattern}/>`;
}

/** @param shape  or an outline around 0 */
function drawPoint(shape: Shape | (string & {}), x: number, y: number, colour: string): string {
  const outline = `fill="none" stroke="${colour}" stroke-width="1.5"`;
  if (shape === 'dot') return `<circle cx="${x}" cy="${y}" r="3.5" fill="${colour}"/>`;
  if (shape === 'ring') return `<circle cx="${x}" cy="${y}" r="8" ${outline}/>`;
  if (shape === 'cross' || shape === 'top-cross') return `<path d="M${x - 4} ${y - 4}l8 8m-8 0l8 -8" ${outline}/>`;
  if (shape.startsWith('M')) return `<path d="${shape}" transform="translate(${x} ${y})" ${outline}/>`;
  const look = shape === 'hollow' ? outline : `fill="${colour}"`;
  return `<rect x="${x - 3}" y="${y - 3}" width="6" height="6" ${look}/>`;
}
