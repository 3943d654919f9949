/** The wheels in empty virtual environments, on machines without Node: `solve`, and the command with all it can do. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { commandsOf, readPages } from '../support/doc-commands.ts';
import { readProgram } from '../support/doc-programs.ts';
import type { User } from '../support/ordinary-users.ts';
import { type Ended, makeFolder, play } from './program.ts';
import { playService } from './service.ts';

const { pythons, nodes, users } = inject('packages');
const [first] = pythons;
const [user] = users;
const readme = (await readPages()).find((page) => page.path === 'README.md')!;
const program = await readProgram('../README.md', 'Start', 'python');
const wrapper = fileURLToPath(new URL('../support/without-network.py', import.meta.url));
const IMPOSSIBLE = 77;
const THIS_USER: User = { name: 'this user' };

it.each(pythons.slice(1))('The Python of the README reaches its goals on $version', async (installed) => {
  const cwd = await makeFolder(THIS_USER);
  await writeFile(path.join(cwd, 'program.py'), program);
  const { code, output } = await play([installed.program, 'program.py'], { cwd, user: THIS_USER });
  expect(output).toContain('meets every target');
  expect(code).toBe(0);
});

describe.skipIf(first === undefined)('A read-only installation', () => {
  it('solves for two users simultaneously, without any network', async () => {
    const ended = await Promise.all(users.map(solveWithoutNetwork));
    for (const { code, output } of ended) {
      if (code === IMPOSSIBLE) return console.log('NOT TESTED WITHOUT A NETWORK: this machine allows no separate one.');
      expect(output).toContain('meets every target');
      expect(code).toBe(0);
    }
  });

  it('has the command of the README, whose example needs no Node of the machine', async () => {
    const place = { cwd: await makeFolder(user!), user: user!, env: { PATH: path.dirname(first!.command[0]!) } };
    const text = commandsOf(readme).find((one) => one.text.startsWith('backsolve '))!.text;
    expect(text).toContain('backsolve run');
    const { code, output } = await play(['/bin/sh', '-euc', text], place);
    expect(output).toContain('Solved: everything is met');
    expect(code).toBe(0);
  });

  it('serves the page and the guides', () => playService(first!.command, user!));
});

describe.skipIf(first === undefined || nodes.length === 0)('A folder has one service, whoever starts it', () => {
  const npm = nodes.at(-1)?.command ?? [];

  it('The command of npm finds the one that Python has started', async () => {
    const cwd = await makeFolder(user!);
    const place = { cwd, user: user! };
    await play([...npm, 'init', '--example'], place);
    await writeFile(path.join(cwd, 'outer.py'), CALLING);
    const { output } = await play([first!.program, 'outer.py', ...npm, 'run', 'bracket.yaml'], place);
    expect(output).toContain('starting a service on this machine');
    expect(output).toContain('Solved: everything is met');
    expect(output).not.toContain('Starting the service');
  });

  it('Python finds the one that the command of npm has started', async () => {
    const cwd = await makeFolder(user!);
    const place = { cwd, user: user! };
    await play([...npm, 'init', '--example'], place);
    await writeFile(path.join(cwd, 'inner.py'), program);
    await writeFile(path.join(cwd, 'bracket.mjs'), callingFrom([first!.program, 'inner.py']));
    const { output } = await play([...npm, 'run', '--jobs', '1', 'bracket.yaml'], place);
    expect(output).toContain('Starting the service');
    expect(output).toContain('Solved: everything is met');
    const inner = await readFile(path.join(cwd, 'inner.txt'), 'utf8');
    expect(inner).toContain('meets every target');
    expect(inner).not.toContain('starting a service');
  });
});

/** The wrapper changes the user itself, because only root may make a network. */
async function solveWithoutNetwork(one: User): Promise<Ended> {
  const cwd = await makeFolder(one);
  await writeFile(path.join(cwd, 'program.py'), program);
  const { uid, gid } = one.ids ?? { uid: process.getuid!(), gid: process.getgid!() };
  const wrapped = [first!.program, wrapper, `${uid}`, `${gid}`, first!.program, 'program.py'];
  return play(wrapped, { cwd, user: THIS_USER });
}

/** A black box that runs another program. */
const CALLING = `
import subprocess, sys
from backsolve import solve, within

def box(x):
    print(subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout)
    return x

solve(box, {"x": (0, 1)}, {"y": within(0.5, 10)})
`;

function callingFrom([program, ...rest]: readonly string[]): string {
  return `import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const { stdout, stderr } = spawnSync(${JSON.stringify(program)}, ${JSON.stringify(rest)}, { encoding: 'utf8' });
writeFileSync('inner.txt', stdout + stderr);
console.log('{"mass": 0.6, "sag": 0.3}');
`;
}
