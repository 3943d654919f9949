/** Reads the QR code of a card as a camera does: from pixels. */
import decode from 'qr/decode.js';

const PIXELS = 6;

/** The text in the code that HTML draws as one path of rows of squares. */
export function scanCode(html: string): string {
  const [, size] = /<svg role="img"[^>]*viewBox="0 0 (\d+) \d+"/.exec(html)!;
  const width = Number(size) * PIXELS;
  const data = new Uint8ClampedArray(4 * width * width).fill(255);
  for (const [, x, y, length] of html.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = Number(y) * PIXELS; row < (Number(y) + 1) * PIXELS; row++) {
      const start = row * width + Number(x) * PIXELS;
      for (let at = start; at < start + Number(length) * PIXELS; at++) data.fill(0, 4 * at, 4 * at + 3);
    }
  }
  return decode({ width, height: width, data });
}
