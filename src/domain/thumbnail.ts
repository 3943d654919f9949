/** Thumbnails: small JPEG pictures that the page may show, because nothing else can be in them. */
import { LARGEST_THUMBNAIL } from './note.ts';

/** Pixels of either side. */
const LARGEST_SIDE = 512;

const START = 0xd8;
const SCAN = 0xda;
const END = 0xd9;
/** Baseline and progressive frames, which every browser reads. */
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
/** Tables without which the picture cannot be decoded, and JFIF. All others are left out: positions, cameras, comments. */
const KEPT: ReadonlySet<number> = new Set([...FRAMES, 0xc4, 0xdb, 0xdd, 0xe0]);

/**
 * The picture without everything that is not needed to show it, such as EXIF; a sentence if it is no JPEG of that size. What
 * comes after the start of the picture data is not decoded: browsers do that for every picture of the web.
 */
export function readThumbnail(bytes: Uint8Array): Uint8Array | string {
  if (bytes.length > LARGEST_THUMBNAIL) return `must have at most ${LARGEST_THUMBNAIL} bytes, has ${bytes.length}.`;
  if (bytes[0] !== 0xff || bytes[1] !== START) return 'must be a JPEG picture.';
  const kept: Uint8Array[] = [bytes.subarray(0, 2)];
  let hasFrame = false;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    const length = readShort(bytes, at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) break;
    if (marker === SCAN) {
      if (!hasFrame || bytes.at(-2) !== 0xff || bytes.at(-1) !== END) break;
      return joined([...kept, bytes.subarray(at)]);
    }
    if (FRAMES.has(marker)) {
      const [height, width] = [readShort(bytes, at + 5), readShort(bytes, at + 7)];
      if (length < 8 || Math.min(height, width) < 1 || Math.max(height, width) > LARGEST_SIDE) {
        return `must have 1 to ${LARGEST_SIDE} pixels on either side.`;
      }
      hasFrame = true;
    }
    if (KEPT.has(marker)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return 'must be a whole JPEG picture.';
}

function readShort(bytes: Uint8Array, at: number): number {
  return 256 * (bytes[at] ?? 0) + (bytes[at + 1] ?? 0);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
