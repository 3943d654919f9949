/** The files and commands that a guide has its readers copy, so that a drill plays what is printed. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export interface GuideFiles {
  /** By the last part of the path that follows the language of a block. */
  readonly files: ReadonlyMap<string, string>;
  /** The lines of the blocks of language sh. */
  readonly commands: readonly string[];
}

/** The parts of `page`, from the root of the project, below its heading `heading`. */
export async function readGuide(page: string, heading: string): Promise<GuideFiles> {
  const text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8');
  const section = text.slice(text.indexOf(`\n${heading}\n`));
  const blocks = [...section.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)];
  return {
    files: new Map(blocks.flatMap(([, , name, body]) => (name === undefined ? [] : [[path.basename(name), body!]]))),
    commands: blocks.flatMap(([, language, , body]) => (language === 'sh' ? body!.trimEnd().split('\n') : [])),
  };
}
