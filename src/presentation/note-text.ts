/** Notes in words. Needs no browser. */
import type { Note } from '../../clients/typescript/src/index.ts';

/** For example "note: cracked; file: weld.jpg, 2.4 MB". */
export function noteText({ text, file }: Pick<Note, 'text' | 'file'>): string {
  const parts = [
    ...(text === '' ? [] : [`note: ${text}`]),
    ...(file ? [`file: ${file.name}, ${fileSize(file.bytes)}`] : []),
  ];
  return parts.join('; ');
}

/** For example "2.4 MB". */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const [value, unit] = bytes < 999_500 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
