/**
 * Lines as counts: how many lines cross each pixel between two axes. Thousands of lines cost no more than their counts, and a
 * table turns counts into colours. Needs no browser.
 */

/** Counts of a picture, column after column: pixel (x, y) is at x * height + y. */
export interface Counts {
  readonly width: number;
  readonly height: number;
  readonly values: Uint32Array;
}

/**
 * @param axes  per axis the pixel column on which it stands, ascending, and per line its pixel row (fractions count), NaN where
 *   it has none; lines are broken there
 * @param isChosen  whether a line is drawn; default: all
 */
export function countLines(
  { width, height }: Pick<Counts, 'width' | 'height'>,
  axes: readonly { readonly x: number; readonly rows: Float32Array }[],
  isChosen?: Uint8Array,
): Counts {
  // Adds 1 where a line enters a column of pixels and subtracts it below the line: running sums along the column are the counts.
  const changes = new Int32Array(width * (height + 1));
  const stride = height + 1;
  for (let a = 1; a < axes.length; a++) {
    const { x: fromX, rows: from } = axes[a - 1]!;
    const { x: toX, rows: to } = axes[a]!;
    const columns = toX - fromX;
    // The last gap also has the column of its right axis.
    const end = a === axes.length - 1 ? columns + 1 : columns;
    for (let line = 0; line < from.length; line++) {
      if (isChosen !== undefined && isChosen[line] === 0) continue;
      const start = from[line]!;
      const slope = (to[line]! - start) / columns;
      // NaN on either side.
      if (!(slope <= 0 || slope > 0)) continue;
      let y = start - slope / 2;
      let offset = fromX * stride;
      for (let x = 0; x < end; x++) {
        const next = y + slope;
        let top = (slope < 0 ? next : y) | 0;
        let bottom = (slope < 0 ? y : next) | 0;
        if (top < 0) top = 0;
        if (bottom >= height) bottom = height - 1;
        if (top <= bottom) {
          changes[offset + top]!++;
          changes[offset + bottom + 1]!--;
        }
        y = next;
        offset += stride;
      }
    }
  }
  const values = new Uint32Array(width * height);
  for (let x = 0; x < width; x++) {
    let count = 0;
    for (let y = 0; y < height; y++) {
      count += changes[x * stride + y]!;
      values[x * height + y] = count;
    }
  }
  return { width, height, values };
}

/** Red, green, blue from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/**
 * Paints counts over what is there: one line covers `strength` of the ground, many nearly all of it.
 *
 * @param pixels  red, green, blue, alpha, row after row
 */
export function paintCounts(pixels: Uint8ClampedArray, counts: Counts, [r, g, b]: Colour, strength: number): void {
  const { width, height, values } = counts;
  const covers = new Float32Array(256).map((_, count) => 1 - (1 - strength) ** count);
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      const count = values[x * height + y]!;
      if (count === 0) continue;
      const cover = covers[count < 256 ? count : 255]!;
      const at = 4 * (y * width + x);
      pixels[at]! += cover * (r - pixels[at]!);
      pixels[at + 1]! += cover * (g - pixels[at + 1]!);
      pixels[at + 2]! += cover * (b - pixels[at + 2]!);
    }
  }
}

/** Opacity of one of so many lines: full while they are few. */
export function strengthOf(lineCount: number): number {
  return Math.min(1, Math.max(0.03, 30 / Math.max(1, lineCount)));
}
