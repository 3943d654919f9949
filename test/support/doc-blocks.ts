/** What the fenced blocks of the documentation are for. */
import type { DocBlock } from './doc-commands.ts';

/** A file that the reader writes: its name follows the language. */
export function isWritten({ info }: DocBlock): boolean {
  return /^[\w.-]+\.[a-z]+$/.test(info);
}

/** What the commands of a guide print. */
export function isPrinted({ language, info }: DocBlock): boolean {
  return language === 'text' && info === 'printed';
}
