/**
 * A 32-bit seed derived from plain data (FNV-1a over its JSON text): the same definition always gives the same design and
 * the same suggestions.
 */
export function seedOf(data: unknown): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(JSON.stringify(data))) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
