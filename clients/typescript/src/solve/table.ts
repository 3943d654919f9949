/** Tables in text files. */

export interface TableRow {
  /** From 1, blank lines counted. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Separated by the first of tab, semicolon, comma and blanks that the first line has; cells may be in double quotes. */
export function readTable(content: string): readonly TableRow[] {
  const lines = content.split(/\r?\n/).flatMap((text, i) => (text.trim() === '' ? [] : [{ line: i + 1, text }]));
  const separator = ['\t', ';', ','].find((one) => lines[0]?.text.includes(one)) ?? ' ';
  const cell = separator === ' ' ? /"((?:[^"]|"")*)"|(\S+)/g : makeCellPattern(separator);
  return lines.map(({ line, text }) => {
    const cells = [...(separator === ' ' ? text : `${separator}${text}`).matchAll(cell)];
    return { line, cells: cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!.trim()) };
  });
}

function makeCellPattern(separator: string): RegExp {
  return new RegExp(`${separator}[^\\S\\t]*(?:"((?:[^"]|"")*)"[^${separator}]*|([^${separator}]*))`, 'g');
}
