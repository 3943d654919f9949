/** Finds words that docs/architecture.md has replaced with others, and comments that begin without a noun or a verb. */
import { parseSync } from 'oxc-parser';

/** The words set as code in the last column of the table under "Words". */
export function readRetiredWords(architecture: string): readonly string[] {
  const rows = architecture.split('\n').filter((line) => line.startsWith('| '));
  const start = rows.findIndex((row) => /^\| word \|/.test(row));
  const cells = rows.slice(start + 2).map((row) => row.split('|').at(-2)!);
  return [...new Set(cells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), (match) => match[1]!)))];
}

/** The word and its inflections: settle, settles, settled, settling, unsettled. */
function patternOf(word: string): RegExp {
  const stem = word.replace(/e$/, '');
  return new RegExp(`^(?:un)?${stem}${stem.at(-1)}?(?:e|es|ed|s|ing)?$`);
}

/** Uses of a retired word in identifiers, comments and texts, as `path:line: word`. */
export function findRetiredWords(path: string, source: string, retired: readonly string[]): readonly string[] {
  const patterns = retired.map((word) => [word, patternOf(word)] as const);
  const lines = [path, ...source.split('\n')];
  return lines.flatMap((line, number) => {
    const words = (line.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
    const used = patterns.filter(([, pattern]) => words.some((word) => pattern.test(word)));
    return used.map(([word]) => `${path}${number === 0 ? '' : `:${number}`}: ${word}`);
  });
}

/** Words that begin no comment: a noun or a verb in the third person tells sooner what something is or does. */
const WORDS = '(?:Of|What|Which|Where|How|When|Why|Who|Whose|Whom)';
const BARE = new RegExp(`^${WORDS}\\b`);
/** True of every source with such a comment, and of few others: parsing all of them takes seconds. */
const MAY_BE_BARE = new RegExp(`/[/*][*\\s]*${WORDS}\\b`);

/** The first word of each comment of TypeScript, with its line. Lines of `//` below each other are one comment. */
function beginningsOf(path: string, source: string): readonly (readonly [line: number, text: string])[] {
  if (!MAY_BE_BARE.test(source)) return [];
  const { comments } = parseSync(path, source, { lang: path.endsWith('x') ? 'tsx' : 'ts', sourceType: 'module' });
  const begun = comments.filter(({ type, start }, k) => {
    const last = comments[k - 1];
    const isOwnLine = (at: number) => /(?:^|\n)[ \t]*$/.test(source.slice(0, at));
    const goesOn = type === 'Line' && last?.type === 'Line' && isOwnLine(last.start);
    return !(goesOn && /^\n[ \t]*$/.test(source.slice(last.end, start)));
  });
  return begun.map(({ value, start }) => [source.slice(0, start).split('\n').length, value.replace(/^[*\s]+/, '')]);
}

/** The same for comments and docstrings of Python, without a parser: a docstring is a text that begins a line. */
function beginningsInPython(source: string): readonly (readonly [line: number, text: string])[] {
  const lines = source.split('\n');
  return lines.flatMap((line, i) => {
    const [, quotes, text] = /^\s*(#:?|r?""")\s*(.*)$/.exec(line) ?? [];
    if (text === undefined || (quotes === '#' && /^\s*#/.test(lines[i - 1] ?? ''))) return [];
    return [[i + 1, text === '' ? (lines[i + 1] ?? '').trim() : text] as const];
  });
}

/** Comments that begin with a bare word, as `path:line` with the advice to begin otherwise. */
export function findBareComments(path: string, source: string): readonly string[] {
  const beginnings = path.endsWith('.py') ? beginningsInPython(source) : beginningsOf(path, source);
  return beginnings.flatMap(([line, text]) => {
    const [word] = BARE.exec(text) ?? [];
    if (word === undefined) return [];
    return [
      `${path}:${line}: "${word}" begins the comment; begin with a noun or a verb: "The ...", "Returns ...", "True if ..."`,
    ];
  });
}
