/** The fenced blocks and the shell commands of the documentation, so that tests run what readers copy. */
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

export interface DocBlock {
  readonly page: string;
  /** Number of its first line below the fence. */
  readonly line: number;
  readonly language: string;
  /** Text after the language: a file that the reader writes, or what a JSON text is. */
  readonly info: string;
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

export function blocksOf({ path, text }: DocPage): readonly DocBlock[] {
  return Array.from(text.matchAll(/^( *)```(\S*)(.*)\n([\s\S]*?)^\1```$/gm), (match) => ({
    page: path,
    line: text.slice(0, match.index).split('\n').length + 1,
    language: match[2]!,
    info: match[3]!.trim(),
    text: match[4]!,
  }));
}

/** The commands in the blocks of language sh, in their order. */
export function commandsOf(page: DocPage): readonly DocCommand[] {
  return blocksOf(page).flatMap((block) => (block.language === 'sh' ? commandsIn(block) : []));
}

function commandsIn(block: DocBlock): readonly DocCommand[] {
  const commands: DocCommand[] = [];
  let open: { line: number; text: string } | undefined;
  for (const [i, line] of block.text.split('\n').entries()) {
    if (open === undefined && /^\s*(#.*)?$/.test(line)) continue;
    open = open === undefined ? { line: block.line + i, text: line } : { ...open, text: `${open.text}\n${line}` };
    if (!isWhole(open.text)) continue;
    commands.push({ page: block.page, line: open.line, text: open.text.replace(/\s+# .*$/, '').trim() });
    open = undefined;
  }
  if (open !== undefined) throw new Error(`${block.page}:${open.line}: a command without an end`);
  return commands;
}

/** Whether every quote is closed and the last line does not continue. */
function isWhole(text: string): boolean {
  const withoutEscapes = text.replace(/\\['"]/g, '');
  return (withoutEscapes.match(/'/g)?.length ?? 0) % 2 === 0 && !text.endsWith('\\');
}
