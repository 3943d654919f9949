/** The shell commands of the documentation, so that tests run what readers copy. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface DocPage {
  /** From the root of the project, e.g. docs/keys.md. */
  readonly path: string;
  readonly text: string;
}

export interface DocCommand {
  readonly page: string;
  readonly line: number;
  /** Without comments; may have several lines. */
  readonly text: string;
}

/** README.md and the pages of docs and its guides in the order of their names; decisions are history and left out. */
export async function readPages(): Promise<readonly DocPage[]> {
  const pagesIn = async (folder: string) =>
    (await readdir(`${ROOT}${folder}`))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`);
  const paths = ['README.md', ...(await pagesIn('docs')), ...(await pagesIn('docs/guides'))];
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(`${ROOT}${path}`, 'utf8') })));
}

/** The commands in the blocks of language sh, in their order. */
export function commandsOf({ path, text }: DocPage): readonly DocCommand[] {
  const commands: DocCommand[] = [];
  for (const block of text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)) {
    const firstLine = text.slice(0, block.index).split('\n').length + 1;
    let open: { line: number; text: string } | undefined;
    for (const [i, line] of block[2]!.split('\n').entries()) {
      if (open === undefined && /^\s*(#.*)?$/.test(line)) continue;
      open = open === undefined ? { line: firstLine + i, text: line } : { ...open, text: `${open.text}\n${line}` };
      if (!isWhole(open.text)) continue;
      commands.push({ page: path, line: open.line, text: open.text.replace(/\s+# .*$/, '').trim() });
      open = undefined;
    }
    if (open !== undefined) throw new Error(`${path}:${open.line}: a command without an end`);
  }
  return commands;
}

/** Whether every quote is closed and the last line does not continue. */
function isWhole(text: string): boolean {
  const withoutEscapes = text.replace(/\\['"]/g, '');
  return (withoutEscapes.match(/'/g)?.length ?? 0) % 2 === 0 && !text.endsWith('\\');
}
