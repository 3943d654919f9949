/** Text of others for a terminal: what would move its cursor, change its colors or turn the direction of a line becomes a blank. */

/** One line. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, ' ');
}

/** Several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}
