/**
 * Writes how the pages say that Backsolve is installed: before the first release from a clone, afterwards from the registries. The npm
 * packages are `private` until then. `npx node harness/release/install-lines.ts` writes the pages after this has changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Lines {
  readonly unreleased: string;
  readonly released: string;
}

const sh = (...lines: readonly string[]) => ['```sh', ...lines, '```'].join('\n');

/** By page; VERSION is that of package.json. */
const LINES: Readonly<Record<string, Lines>> = {
  'README.md': {
    unreleased: `In a clone, with Node 20 or later. The first line starts the service and its page; the database is included. The second one, in another
terminal, installs the Python package and the command \`backsolve\` in your environment of Python 3.10 or later:

${sh('npm ci && npm start', "npm run package && pip install --find-links dist 'backsolve[local]'")}

Where the second line installs from a copy of \`dist\`, neither Node nor a database is needed, and nothing is downloaded afterwards. Before the
first release no registry has these packages.`,
    released: `${sh("pip install 'backsolve[local]'")}

brings everything, with Python 3.10 or later: no compiler, no server, no account, and nothing is downloaded afterwards. With Node 20 or later,
\`npm install --global backsolve\` gives the same command, and \`npx backsolve\` runs it without installing.`,
  },
  'clients/python/README.md': {
    unreleased: `${sh("pip install --find-links dist 'backsolve[local]'")}

in a clone of Backsolve after \`npm ci && npm run package\`, which builds the packages into \`dist\`; before the first release the index has none.`,
    released: sh("pip install 'backsolve[local]'"),
  },
  'clients/python-service/README.md': {
    unreleased: `${sh("pip install --find-links dist 'backsolve[local]'")}

in a clone after \`npm ci && npm run package\`, which builds the packages into \`dist\`.`,
    released: sh("pip install 'backsolve[local]'"),
  },
  'clients/typescript/README.md': {
    unreleased: `${sh('npm install path/to/clone/dist/backsolve-client-VERSION.tgz path/to/clone/dist/backsolve-VERSION.tgz')}

after \`npm ci && npm run package\` in a clone of Backsolve, which builds the archives; before the first release the registry has none.`,
    released: sh('npm install backsolve-client backsolve'),
  },
  'docs/guides/fmu.md': {
    unreleased: `\`\`\`bash
pip install --find-links dist 'backsolve[fmu]' pythonfmu   # in a clone, after npm ci && npm run package
\`\`\``,
    released: `\`\`\`bash
pip install 'backsolve[fmu]' pythonfmu
\`\`\``,
  },
};

/** The pages as they must be, by path from the root of the clone. */
export function installPages(root: string): Readonly<Record<string, string>> {
  const { private: isUnreleased, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    private?: boolean;
    version: string;
  };
  const pages = Object.entries(LINES).map(([page, { unreleased, released }]) => {
    const lines = (isUnreleased === true ? unreleased : released).replaceAll('VERSION', version);
    const text = readFileSync(join(root, page), 'utf8');
    return [page, text.replace(/(?<=<!-- install -->\n)[\s\S]*?(?=<!-- end -->)/, () => `${lines}\n`)];
  });
  return Object.fromEntries(pages);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  for (const [page, text] of Object.entries(installPages(root))) writeFileSync(join(root, page), text);
}
