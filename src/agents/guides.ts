/** The guides and the reference of problem files, for agents to read. */
import { readFile } from 'node:fs/promises';
import { ROOT } from '../installation.ts';

export interface Guide {
  /** Flat, such as `noisy-runs`. */
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  read(): Promise<string>;
}

const DOCS = new URL('docs/', ROOT);

/** `1. [Your first problem](first-problem.md): from a program to ...`, which may go on in the next line */
const ENTRY = /^\d+\. \[([^\]]+)\]\(([a-z-]+)\.md\)(?:: ([^\n]*(?:\n {2,}[^\n]+)*))?/gm;

/** In the order of docs/guides/README.md. */
export async function listGuides(): Promise<readonly Guide[]> {
  const contents = await readFile(new URL('guides/README.md', DOCS), 'utf8');
  const guides = Array.from(contents.matchAll(ENTRY), ([, title, name, description]) => ({
    name: name!,
    title: title!,
    description: description?.replace(/\s+/g, ' '),
    read: () => readFile(new URL(`guides/${name}.md`, DOCS), 'utf8'),
  }));
  return [PROBLEM_FILE, ...guides];
}

const PROBLEM_FILE: Guide = {
  name: 'problem-file',
  title: 'Problem files',
  description: 'Every key of a file for `backsolve run`, which solves a problem whose runs are a command.',
  read: () => readFile(new URL('problem-file.md', DOCS), 'utf8'),
};
