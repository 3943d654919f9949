/** Tables in text files. */

export interface TableRow {
  /** From 1, blank lines counted. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Cells may be in double quotes.
 *
 * @param stated  the character between cells, where a blank means blanks and tabs; by default the first of tab, semicolon, comma and
 *                blanks that the first line has
 */
export function readTable(content: string, stated?: string): readonly TableRow[] {
  const lines = content.split(/\r?\n/).flatMap((text, i) => (text.trim() === '' ? [] : [{ line: i + 1, text }]));
  const separator = stated ?? ['\t', ';', ','].find((one) => lines[0]?.text.includes(one)) ?? ' ';
  const cell = separator === ' ' ? /"((?:[^"]|"")*)"|(\S+)/g : makeCellPattern(separator);
  return lines.map(({ line, text }) => {
    const cells = [...(separator === ' ' ? text : `${separator}${text}`).matchAll(cell)];
    return { line, cells: cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!.trim()) };
  });
}

function makeCellPattern(character: string): RegExp {
  const separator = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new RegExp(`${separator}[^\\S\\t]*(?:"((?:[^"]|"")*)"[^${separator}]*|([^${separator}]*))`, 'g');
}
