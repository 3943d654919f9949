/** Thumbnails: small JPEG pictures that the page may show, because nothing else can be in them. */
import { LARGEST_THUMBNAIL } from './note.ts';

/** Pixels of either side. */
const LARGEST_SIDE = 512;

const START = 0xd8;
const SCAN = 0xda;
const END = 0xd9;
const JFIF = 0xe0;
/** Baseline and progressive frames, which every browser reads. */
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
const CODES = 0xc4;
const QUANTA = 0xdb;
const RESTARTS = 0xdd;
/** Its colours are those of JFIF: version 1.1, no density, no picture within the picture. */
const PLAIN_JFIF = Uint8Array.of(0xff, JFIF, 0, 16, ...Buffer.from('JFIF\0', 'latin1'), 1, 1, 0, 0, 1, 0, 1, 0, 0);

/**
 * The picture without everything that is not needed to show it, such as EXIF, comments, and what follows its end; a sentence if it is no
 * JPEG of that size. The scans are not decoded: browsers do that for every picture of the web.
 */
export function readThumbnail(bytes: Uint8Array): Uint8Array | string {
  if (bytes.length > LARGEST_THUMBNAIL) return `must have at most ${LARGEST_THUMBNAIL} bytes, has ${bytes.length}.`;
  if (bytes[0] !== 0xff || bytes[1] !== START) return 'must be a JPEG picture.';
  const kept: Uint8Array[] = [bytes.subarray(0, 2)];
  let [hasFrame, hasScan] = [false, false];
  let at = 2;
  while (bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (marker === 0xff) {
      // Fills up to the next marker.
      at += 1;
      continue;
    }
    if (marker === END) {
      if (!hasScan) break;
      return joined([...kept, bytes.subarray(at, at + 2)]);
    }
    const segment = bytes.subarray(at, at + 2 + readShort(bytes, at + 2));
    if (marker === undefined || segment.length < 4 || segment.length !== 2 + readShort(bytes, at + 2)) break;
    at += segment.length;
    if (marker === JFIF && kept.length === 1 && hasName(segment, 'JFIF\0')) kept.push(PLAIN_JFIF);
    if (!isNeeded(marker)) continue;
    if (!isFilled(marker, segment)) break;
    if (FRAMES.has(marker)) {
      const [height, width] = [readShort(segment, 5), readShort(segment, 7)];
      if (Math.min(height, width) < 1 || Math.max(height, width) > LARGEST_SIDE) {
        return `must have 1 to ${LARGEST_SIDE} pixels on either side.`;
      }
      hasFrame = true;
    }
    kept.push(segment);
    if (marker !== SCAN) continue;
    if (!hasFrame) break;
    hasScan = true;
    const end = endOfScan(bytes, at);
    kept.push(bytes.subarray(at, end));
    at = end;
  }
  return 'must be a whole JPEG picture.';
}

function isNeeded(marker: number): boolean {
  return FRAMES.has(marker) || [CODES, QUANTA, RESTARTS, SCAN].includes(marker);
}

/** Whether the segment holds what its kind needs and nothing behind it. ITU-T T.81, B.2.2 to B.2.4. */
function isFilled(marker: number, segment: Uint8Array): boolean {
  if (FRAMES.has(marker)) return segment.length === 10 + 3 * (segment[9] ?? 0);
  if (marker === SCAN) return segment.length === 8 + 2 * (segment[4] ?? 0);
  if (marker === RESTARTS) return segment.length === 6;
  let at = 4;
  while (at < segment.length) {
    if (marker === QUANTA) at += segment[at]! >> 4 === 0 ? 65 : 129;
    else at += 17 + segment.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0);
  }
  return at === segment.length;
}

/** Position of the next marker: none of those within a scan (restarts), and no byte 255 of the scan, which a 0 follows. */
function endOfScan(bytes: Uint8Array, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return at;
}

function hasName(segment: Uint8Array, name: string): boolean {
  return Buffer.from(segment.subarray(4, 4 + name.length)).toString('latin1') === name;
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
