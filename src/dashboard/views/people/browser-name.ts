/** Names a browser in two words. Needs no browser. */

/** Order matters: Edge and Opera also say Chrome, and Chrome says Safari. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS/, 'macOS'],
  [/Linux/, 'Linux'],
];

export function browserName(text: string | null): string {
  if (text === null) return 'unknown';
  const [browser, system] = [BROWSERS, SYSTEMS].map((names) => names.find(([pattern]) => pattern.test(text))?.[1]);
  if (browser === undefined) return text.slice(0, 30);
  return system === undefined ? browser : `${browser}, ${system}`;
}
