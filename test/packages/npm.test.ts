/** The npm package on every supported version of Node, with nothing else installed. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { makeFolder, play } from './program.ts';
import { playService } from './service.ts';

const { nodes, users } = inject('packages');
const [user] = users;

describe.each(nodes)('On Node $version', ({ program, command }) => {
  it('the command solves its example', async () => {
    const place = { cwd: await makeFolder(user!), user: user! };
    await play([...command, 'init', '--example'], place);
    const { code, output } = await play([...command, 'run', 'bracket.yaml'], place);
    expect(output).toContain('Solved: everything is met');
    expect(code).toBe(0);
  });

  it('the service answers, with its page and its threads', () => playService(command, user!));

  it('solve of the client uses the package beside it, without npx', async () => {
    const folder = await makeFolder(user!);
    const script = `import { solve, within } from 'backsolve-client/solve';
      const problem = { inputs: { a: [0, 10] }, goals: { y: within(7, 1) }, folder: ${JSON.stringify(`${folder}/.backsolve`)} };
      console.log((await solve(({ a }) => a, problem)).status);`;
    const project = path.resolve(path.dirname(command[1]!), '../../..');
    const place = { cwd: project, user: user!, env: { HOME: folder } };
    const { code, output } = await play([program, '--input-type=module', '-e', script], place);
    expect(output).toContain('satisfied');
    expect(code).toBe(0);
  });

  it('every built module loads', async () => {
    const folder = path.join(path.dirname(command[1]!), '../lib');
    // These start something.
    const files = (await readdir(folder)).filter(
      (name) => name.endsWith('.js') && !['main.js', 'worker.js', 'windows-gate.js'].includes(name),
    );
    const urls = files.map((name) => pathToFileURL(path.join(folder, name)).href);
    const script = `for (const url of ${JSON.stringify(urls)}) await import(url); console.log('all'); process.exit()`;
    const place = { cwd: await makeFolder(user!), user: user! };
    expect(await play([program, '--input-type=module', '-e', script], place)).toEqual({ code: 0, output: 'all\n' });
  });
});
