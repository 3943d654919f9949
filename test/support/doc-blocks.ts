/** What the fenced blocks of the documentation are for. */
import { blocksOf, type DocBlock, type DocPage } from './doc-commands.ts';

/** A file that the reader writes: its name follows the language. */
export function isWritten({ info }: DocBlock): boolean {
  return /^[\w.-]+\.[a-z]+$/.test(info);
}

/** What the commands of a guide print. */
export function isPrinted({ language, info }: DocBlock): boolean {
  return language === 'text' && info === 'printed';
}

/** Pages for people who come from elsewhere: clients/python/tests/test_coming_from.py plays every block of them, with the peers. */
export function isPlayedByPython(path: string): boolean {
  return path.startsWith('docs/guides/coming-from-');
}

/** A guide with files of its own needs a service and nothing of other pages. */
export function isPlayedAlone(page: DocPage): boolean {
  return !isPlayedByPython(page.path) && blocksOf(page).some(isWritten);
}
