/** The text of a file, however a spreadsheet has written it. Needs no browser. */

/** UTF-8 or UTF-16 with a byte order mark, UTF-8 without one, otherwise the Western code page in which Excel saves plain CSV. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
