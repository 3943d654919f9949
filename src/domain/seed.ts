/**
 * A 32-bit seed derived from plain data (FNV-1a over its JSON text), so that the same definition gives the same design
 * and the same suggestions wherever and whenever it is entered.
 */
export function seedOf(data: unknown): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(JSON.stringify(data))) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
