/** Noisy measurements; tolerances are three or more standard deviations wide. */
import { atMost, defineProblems, float, floats, minimize, type RunIdentity, within } from '../problem.ts';
import { makeRunNoise } from '../random.ts';
import { monodBatch } from './simulators.ts';
import { threeBarTruss } from './truss.ts';

/** Adds N(0, sd) to every output. */
function additive(evaluate: (x: readonly number[]) => readonly number[], sd: number) {
  return (x: readonly number[], run: RunIdentity) => {
    const normal = makeRunNoise(run);
    return evaluate(x).map((value) => value + sd * normal());
  };
}

const concentrations = [0.02, 0.06, 0.11, 0.22, 0.56, 1.1];
const puromycin = ([most, half]: readonly number[]) => concentrations.map((c) => (most! * c) / (half! + c));

/** Peaks (nm), widths (nm) and strengths of the absorption of yellow, red, blue and black. */
const dyes = [
  [430, 40, 1.6],
  [520, 45, 1.3],
  [610, 55, 1.4],
  [560, 400, 0.9],
] as const;
/** Concentrations of four dyes to the reflectance in percent at six wavelengths (Kubelka, Munk 1931). */
function dyeRecipe(shares: readonly number[]): number[] {
  return [430, 480, 530, 580, 630, 680].map((wavelength) => {
    const absorbed = dyes.reduce((total, [peak, width, strength], i) => {
      return total + shares[i]! * strength * Math.exp(-(((wavelength - peak) / width) ** 2));
    }, 0.02);
    return 100 * (1 + absorbed - Math.sqrt(absorbed ** 2 + 2 * absorbed));
  });
}

function zakharov(x: readonly number[]): number[] {
  const weighted = x.reduce((total, value, i) => total + 0.5 * (i + 1) * value, 0);
  return [x.reduce((total, value) => total + value * value, 0) + weighted ** 2 + weighted ** 4];
}

const enzymeTruth = [212.7, 0.0641];
const monodTruth = [0.36, 1.1, 0.5, 0.02];
const dyeTruth = [0.7, 0.25, 0.4, 0.15];

export const noisyProblems = defineProblems('noisy', [
  {
    name: 'noisy-enzyme',
    source: 'Bates, Watts (1988), Nonlinear regression analysis, puromycin; rates with an error of 2.5',
    variables: [float(80, 400), float(0.01, 0.4)],
    objectives: within(puromycin(enzymeTruth), 9),
    start: [120, 0.3],
    known: enzymeTruth,
    noisy: true,
    evaluate: additive(puromycin, 2.5),
  },
  {
    name: 'noisy-dye-recipe',
    source:
      'Kubelka, Munk (1931); McDonald (1997), Colour physics for industry; four dyes, error of 0.3 percent points',
    variables: floats(4, 0, 1.5),
    objectives: within(dyeRecipe(dyeTruth), 1.2),
    start: [1.2, 1, 0.1, 0.6],
    known: dyeTruth,
    noisy: true,
    evaluate: additive(dyeRecipe, 0.3),
  },
  {
    name: 'noisy-monod',
    source: 'Monod (1949), The growth of bacterial cultures; error of 0.06 g/l',
    variables: [float(0.1, 1), float(0.05, 3), float(0.2, 0.8), float(0, 0.1)],
    objectives: within(monodBatch(monodTruth), 0.25),
    start: [0.2, 2.5, 0.3, 0.08],
    known: monodTruth,
    noisy: true,
    evaluate: additive(monodBatch, 0.06),
  },
  {
    name: 'noisy-three-bar-truss',
    source: 'Nowacki (1974), volume 2.5 percent over the optimum of 263.9, stresses with an error of 0.01',
    variables: floats(2, 0.05, 1),
    objectives: [atMost(270.5), atMost(2), atMost(2), atMost(2)],
    start: [0.3, 0.9],
    known: [0.8, 0.43],
    noisy: true,
    evaluate: (x, run) => {
      const [volume, ...stresses] = threeBarTruss(x);
      return [volume!, ...additive(() => stresses, 0.01)(x, run)];
    },
  },
  {
    name: 'noisy-zakharov-3',
    source: 'Surjanovic, Bingham, Virtual Library of Simulation Experiments; Zakharov, noise 0.2',
    variables: floats(3, -4, 6),
    objectives: [minimize(1)],
    start: [5, -3, 4],
    known: [0, 0, 0],
    noisy: true,
    evaluate: additive(zakharov, 0.2),
  },
]);
