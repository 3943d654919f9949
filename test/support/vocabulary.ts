/** Finds words that docs/architecture.md has replaced with others. */

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
