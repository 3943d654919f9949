/** Tells what the fenced blocks of the documentation are for. */
import { blocksOf, type DocBlock, type DocPage } from './doc-commands.ts';

/** A file that the reader writes: its name follows the language. */
export function isWritten({ info }: DocBlock): boolean {
  return /^[\w.-]+\.[a-z]+$/.test(info);
}

/** True for a block that the commands of a guide print. */
export function isPrinted({ language, info }: DocBlock): boolean {
  return language === 'text' && info === 'printed';
}

/** Pages whose blocks clients/python/tests plays: test_coming_from.py with the peers or FMPy, test_engines.py with the engines, test_sources.py. */
export function isPlayedByPython(path: string): boolean {
  return (
    path.startsWith('docs/guides/coming-from-') ||
    ['cheap-models', 'fmu', 'frameworks', 'gradients', 'your-cluster'].some((one) => path === `docs/guides/${one}.md`)
  );
}

/** A guide with files of its own needs a service and nothing of other pages. */
export function isPlayedAlone(page: DocPage): boolean {
  return !isPlayedByPython(page.path) && blocksOf(page).some(isWritten);
}
