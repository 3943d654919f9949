/** Six typical problems, which differ in how the program is called and in how it fails. Each notes its calls in calls.log. */

export interface BlackBox {
  readonly name: string;
  /** The problem file; its target differs from round to round, so that a search never runs out of work. */
  problem(round: number): string;
  /** By name, in the folder of the problem; names without an ending are made executable. */
  readonly files: Readonly<Record<string, string>>;
}

/** Spread evenly, so that runs of earlier rounds seldom meet the next target. */
const between = (lower: number, upper: number, round: number): number =>
  Number((lower + (upper - lower) * ((0.3 + round * 0.618034) % 1)).toPrecision(4));

/** Lotka-Volterra by Runge-Kutta in plain Python: two of its parameters from two observed figures. */
const ODE = `import json, sys
line = sys.stdin.readline()
with open("calls.log", "a") as log: log.write(line)
x = json.loads(line)["inputByName"]
a, b = x["growth"], x["catch"]
def flow(u, v): return a * u - b * u * v, 0.1 * u * v - 0.4 * v
u, v, h, peak = 10.0, 5.0, 0.02, 0.0
for _ in range(1500):
    k1 = flow(u, v)
    k2 = flow(u + h / 2 * k1[0], v + h / 2 * k1[1])
    k3 = flow(u + h / 2 * k2[0], v + h / 2 * k2[1])
    k4 = flow(u + h * k3[0], v + h * k3[1])
    u += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
    v += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    peak = max(peak, v)
print(json.dumps({"peak": peak, "last": u + v}))
`;

/** Reads in.dat and writes out.txt, as old programs do. */
const SOLVER = `#!/bin/sh
read -r line
printf '%s\\n' "$line" >> "$CALLS"
awk '/^load/ { p = $2 } /^depth/ { d = $2 }
     END { printf "deflection = %.12g\\nstress = %.12g\\n", p / (d * d * d) * 50, p / (d * d) * 6 }' in.dat > out.txt
`;

const SHELL = `read -r line; printf '%s\\n' "$line" >> calls.log; awk -v a="$BACKSOLVE_INPUT_A" -v b="$BACKSOLVE_INPUT_B" 'BEGIN { printf "[%.12g, %.12g]\\n", a * b, a - b }'`;

/** The same flat function with noise, with failures, or slow: what differs are the words and the time. */
const script = (body: string): string => `import { appendFileSync, readFileSync } from 'node:fs';
const line = readFileSync(0, 'utf8').trim();
appendFileSync('calls.log', line + '\\n');
const [a, b] = JSON.parse(line).input;
const outputs = [a * a + b, 3 * a - b * b];
${body}
`;

const PLAIN_SPACE = 'inputs: {a: {minimum: 0, maximum: 5}, b: {minimum: 0, maximum: 5}}';
const plain = (round: number, within: string, more: string): string => `name: Two inputs
${PLAIN_SPACE}
outputs: {p: {target: ${between(4, 18, round)}, within: ${within}}, q: {target: 3, within: 0.3}}
command: [${JSON.stringify(process.execPath)}, box.mjs]
${more}
`;

export const BLACK_BOXES: readonly BlackBox[] = [
  {
    name: 'python-ode',
    files: { 'model.py': ODE },
    problem: (round) => `name: Predators and prey
inputs: {growth: {minimum: 0.3, maximum: 1.5}, catch: {minimum: 0.02, maximum: 0.3}}
outputs: {peak: {target: ${between(11, 21, round)}, within: 2%}, last: {above: 0}}
command: [python3, model.py]
`,
  },
  {
    name: 'templates',
    files: { solver: SOLVER, 'in.tmpl': 'load {{load}}\ndepth {{depth}}\n' },
    problem: (round) => `name: Cantilever
inputs: {load: {minimum: 1, maximum: 50}, depth: {minimum: 2, maximum: 20}}
outputs: {deflection: {target: ${between(1, 3, round)}, within: 1%}, stress: {target: 1.5, within: 5%}}
command: [./solver]
templates: [in.tmpl:in.dat]
read: ['deflection=out.txt:/deflection = (\\S+)/', 'stress=out.txt:/stress = (\\S+)/']
environment: {CALLS: FOLDER/calls.log}
`,
  },
  {
    name: 'shell',
    files: {},
    problem: (round) => `name: Shell
${PLAIN_SPACE}
outputs: {product: {target: ${between(2, 18, round)}, within: 1%}, difference: {target: 1, within: 0.02}}
command: ${JSON.stringify(SHELL)}
shell: true
`,
  },
  {
    name: 'noisy',
    files: {
      'box.mjs': script(
        'console.log(JSON.stringify(outputs.map((y) => y * (1 + 0.02 * (Math.random() + Math.random() - 1)))));',
      ),
    },
    problem: (round) => plain(round, '5%', 'maximumRuns: 1000'),
  },
  {
    name: 'failing',
    files: {
      'box.mjs': script(`if (Math.random() < 0.2) process.exit(1);
console.log(JSON.stringify(outputs));`),
    },
    problem: (round) => plain(round, '1%', 'jobs: 2'),
  },
  {
    name: 'slow',
    files: { 'box.mjs': script('setTimeout(() => console.log(JSON.stringify(outputs)), 2000);') },
    problem: (round) => plain(round, '1%', 'jobs: 4'),
  },
];
