/** Scrapes a process and parses the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

/** Throws on a malformed line. */
export function parseSamples(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const match = LINE.exec(line);
      if (match === null) throw new Error(`no sample: ${line}`);
      const value = match[3] === '+Inf' ? Number.POSITIVE_INFINITY : Number(match[3]);
      return { name: match[1]!, labels: parseLabels(match[2] ?? ''), value };
    });
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (match === null) throw new Error(`no labels: ${text}`);
    labels[match[1]!] = match[2]!;
  }
  return labels;
}

export async function scrape(port: number): Promise<readonly Sample[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`);
  return parseSamples(await answer.text());
}

/** The value of a series; undefined when there is none. Throws when several match. */
export function readValue(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`${found.length} series of ${name} fit ${JSON.stringify(labels)}`);
  return found[0]?.value;
}
