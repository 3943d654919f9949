/** Reads programs from the documentation, so that tests run what readers copy. */
import { readFile } from 'node:fs/promises';

/** Returns the program in `language` under `heading`. Throws unless there is exactly one. */
export async function readProgram(page: string, heading: string, language: string): Promise<string> {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const programs = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter((match) => match[1] === language);
  if (programs.length !== 1) throw new Error(`${page} has ${programs.length} ${language} programs under "${heading}"`);
  return programs[0]![2]!;
}
