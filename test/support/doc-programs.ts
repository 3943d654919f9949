/** Programs in the documentation, so that tests run what readers copy. */
import { readFile } from 'node:fs/promises';

/** The one program in that language under the heading of that name. Throws when there is none or more than one. */
export async function readProgram(page: string, heading: string, language: string): Promise<string> {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const programs = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter((match) => match[1] === language);
  if (programs.length !== 1) throw new Error(`${page} has ${programs.length} ${language} programs under "${heading}"`);
  return programs[0]![2]!;
}
