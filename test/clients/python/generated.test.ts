import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { VERSION } from '../../../clients/typescript/src/index.ts';
import { REFUSALS } from '../../../src/http/operation/errors.ts';
import { buildPythonFiles } from '../../../tools/python-files.ts';

it.each(buildPythonFiles())(
  '$file is what the interface gives; otherwise run `npm run client`',
  async ({ file, text }) => {
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

it('Both packages have the version of the interface, and the client asks for the service of its own', async () => {
  const [client, service] = await Promise.all(
    ['python', 'python-service'].map((name) =>
      readFile(new URL(`../../../clients/${name}/pyproject.toml`, import.meta.url), 'utf8'),
    ),
  );
  for (const text of [client!, service!]) expect(/^version = "(.*)"$/m.exec(text)![1]).toBe(VERSION);
  expect(client).toContain(`local = ["backsolve-service==${VERSION}"]`);
});

it('Every refusal of the service is an exception of its own class', () => {
  const { text } = buildPythonFiles().find(({ file }) => file.pathname.endsWith('/problems.py'))!;
  const kinds = [...text.matchAll(/^ {4}"([a-z-]+)": (\w+Error),$/gm)].map(([, kind, name]) => [kind, name] as const);
  expect(kinds.map(([kind]) => kind)).toEqual(
    expect.arrayContaining(Object.keys(REFUSALS).map((code) => code.toLowerCase().replaceAll('_', '-'))),
  );
  for (const [, name] of kinds) expect(text).toContain(`class ${name}(ServiceError):`);
});
