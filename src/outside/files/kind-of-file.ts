/** Recognizes files by their content and never by their names. */
import { fileTypeFromBuffer } from 'file-type';

/** Enough for every kind that is told apart; what is packed into a file is not unpacked. */
const READ_BYTES = 64 * 1024;
const UNKNOWN = 'application/octet-stream';

/** A media type. Text is text, whatever language it is in: markup too is told from it by nobody here. */
export async function kindOfFile(content: Uint8Array): Promise<string> {
  const start = content.subarray(0, READ_BYTES);
  const found = await fileTypeFromBuffer(start).catch(() => undefined);
  // Markup may hold programs.
  if (found !== undefined && !/xml|html|svg|javascript/.test(found.mime)) return found.mime;
  return isText(start, content.length > start.length) ? 'text/plain' : UNKNOWN;
}

function isText(start: Uint8Array, isCut: boolean): boolean {
  if (start.includes(0)) return false;
  try {
    // A character cut off at the end is no fault.
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}
