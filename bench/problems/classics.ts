/** One to three inputs: textbook equations, which clients tend to try first. */
import { atMost, defineProblems, exact, float, floats, integer, minimize, within, withinPercent } from './problem.ts';

/** Darcy friction factor minus the right-hand side of Colebrook (1939), as 1 / sqrt(f) + 2 log10(...). */
const colebrook = (factor: number) =>
  1 / Math.sqrt(factor) + 2 * Math.log10(2e-4 / 3.7 + 2.51 / (1e5 * Math.sqrt(factor)));

const vanDerWaals = (volume: number, temperature: number) =>
  (0.08206 * temperature) / (volume - 0.04267) - 3.592 / volume ** 2;

const antoine = (celsius: number) => 10 ** (8.07131 - 1730.63 / (233.426 + celsius));

function pendulumPeriod(length: number, amplitude: number): number {
  const k = Math.sin(amplitude / 2);
  let [a, b] = [1, Math.sqrt(1 - k * k)];
  for (let step = 0; step < 6; step++) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
  return (2 * Math.PI * Math.sqrt(length / 9.81)) / a;
}

const annuity = (rate: number, years: number) => (200000 * (rate / 1200)) / (1 - (1 + rate / 1200) ** (-12 * years));

export const classicProblems = defineProblems('classics', [
  {
    name: 'square-root',
    source: 'Heron of Alexandria, Metrica: the square root of 2',
    variables: [float(0, 5)],
    objectives: exact([2]),
    desiredL1Norm: 1e-4,
    start: [4],
    known: [Math.SQRT2],
    evaluate: ([x]) => [x! * x!],
  },
  {
    name: 'wallis-cubic',
    source: 'Wallis (1685), A treatise of algebra: x^3 - 2 x - 5 = 0',
    variables: [float(0, 5)],
    objectives: exact([5]),
    desiredL1Norm: 1e-4,
    start: [4.5],
    known: [2.0945514815423265],
    evaluate: ([x]) => [x! ** 3 - 2 * x!],
  },
  {
    name: 'kepler-equation',
    source: 'Kepler (1609), Astronomia nova; eccentricity 0.8, mean anomaly 1.2',
    variables: [float(0, 3.1)],
    objectives: exact([1.2]),
    desiredL1Norm: 1e-5,
    start: [0.3],
    known: [1.94472081],
    evaluate: ([anomaly]) => [anomaly! - 0.8 * Math.sin(anomaly!)],
  },
  {
    name: 'colebrook-friction',
    source: 'Colebrook (1939), Turbulent flow in pipes; Reynolds number 100000, relative roughness 0.0002',
    variables: [float(0.005, 0.08)],
    objectives: exact([0]),
    desiredL1Norm: 1e-3,
    start: [0.07],
    known: [0.01900544],
    evaluate: ([factor]) => [colebrook(factor!)],
  },
  {
    name: 'water-boiling-point',
    source: 'Antoine (1888); pressure of water at 500 mmHg',
    variables: [float(20, 120)],
    objectives: withinPercent([500], 0.1),
    start: [30],
    known: [88.7],
    evaluate: ([celsius]) => [antoine(celsius!)],
  },
  {
    name: 'himmelblau',
    source: 'Himmelblau (1972), Applied nonlinear programming; the two residuals',
    variables: floats(2, -5, 6),
    objectives: exact([11, 7]),
    desiredL1Norm: 1e-3,
    start: [-4.5, 0],
    known: [3, 2],
    evaluate: ([a, b]) => [a! * a! + b!, a! + b! * b!],
  },
  {
    name: 'booth',
    source: 'Jamil, Yang (2013), A literature survey of benchmark functions; Booth, the two residuals',
    variables: floats(2, -10, 10),
    objectives: exact([7, 5]),
    desiredL1Norm: 1e-6,
    start: [-8, 6],
    known: [1, 3],
    evaluate: ([a, b]) => [a! + 2 * b!, 2 * a! + b!],
  },
  {
    name: 'circle-and-hyperbola',
    source: 'Kelley (1995), Iterative methods for linear and nonlinear equations; intersection of two curves',
    variables: floats(2, 0, 3),
    objectives: exact([4, 1]),
    desiredL1Norm: 1e-4,
    start: [2.8, 2.8],
    known: [1.9318516525781366, 0.5176380902050415],
    evaluate: ([a, b]) => [a! * a! + b! * b!, a! * b!],
  },
  {
    name: 'van-der-waals',
    source: 'Van der Waals (1873), carbon dioxide; pressure at two temperatures',
    variables: [float(0.1, 3), float(250, 500)],
    objectives: withinPercent([vanDerWaals(0.7, 330), vanDerWaals(0.7, 380)], 0.2),
    start: [2.5, 480],
    known: [0.7, 330],
    evaluate: ([volume, temperature]) => [vanDerWaals(volume!, temperature!), vanDerWaals(volume!, temperature! + 50)],
  },
  {
    name: 'thick-lens',
    source: "Hecht, Optics: lensmaker's equation; focal length and lens volume proxy",
    variables: [float(20, 200), float(20, 200), float(2, 12)],
    objectives: withinPercent([50, 4], 0.5),
    start: [150, 40, 10],
    known: [50.9787, 51, 4],
    evaluate: ([r1, r2, thickness]) => [
      1 / (0.5168 * (1 / r1! + 1 / r2! - (0.5168 * thickness!) / (1.5168 * r1! * r2!))),
      thickness!,
    ],
  },
  {
    name: 'free-throw',
    source: 'Galilei (1638), Two new sciences: range and height of a throw',
    variables: [float(5, 40), float(10, 85)],
    objectives: within([40, 12], 0.05),
    start: [35, 20],
    known: [Math.sqrt(2 * 9.81 * 12) / Math.sin(Math.atan(1.2)), (Math.atan(1.2) * 180) / Math.PI],
    evaluate: ([speed, degrees]) => {
      const angle = (degrees! * Math.PI) / 180;
      return [(speed! ** 2 * Math.sin(2 * angle)) / 9.81, (speed! * Math.sin(angle)) ** 2 / 19.62];
    },
  },
  {
    name: 'pendulum-clock',
    source: 'Huygens (1673), Horologium oscillatorium; large amplitude by the arithmetic-geometric mean',
    variables: [float(0.1, 3), float(0.1, 2.8)],
    objectives: within([2, 1.5], 0.002),
    start: [2.5, 0.4],
    known: [0.75, 1.5],
    evaluate: ([length, amplitude]) => [
      pendulumPeriod(length!, amplitude!) * (2 / pendulumPeriod(0.75, 1.5)),
      amplitude!,
    ],
  },
  {
    name: 'mortgage',
    source: 'Annuity formula (de Witt 1671): instalment and total paid',
    variables: [float(0.5, 12), integer(5, 40)],
    objectives: withinPercent([annuity(4.2, 24), annuity(4.2, 24) * 24 * 12], 0.5),
    start: [10, 8],
    known: [4.2, 24],
    evaluate: ([rate, years]) => [annuity(rate!, years!), annuity(rate!, years!) * years! * 12],
  },
  {
    name: 'cantilever-section',
    source: 'Gere, Timoshenko, Mechanics of materials: deflection and stress of a rectangular cantilever',
    variables: [float(20, 120), float(20, 200)],
    objectives: [atMost(5), atMost(60), atMost(7500)],
    start: [30, 40],
    known: [50, 140],
    evaluate: ([width, height]) => [
      (4 * 5000 * 1500 ** 3) / (210000 * width! * height! ** 3),
      (6 * 5000 * 1500) / (width! * height! ** 2),
      width! * height!,
    ],
  },
  {
    name: 'queue-staffing',
    source: 'Erlang (1917): servers and service time for a waiting probability',
    variables: [integer(1, 40), float(1, 8)],
    objectives: [...withinPercent([0.266], 5), ...withinPercent([0.75], 3)],
    start: [35, 2],
    known: [12, 4.5],
    evaluate: ([servers, minutes]) => {
      const load = 2 * minutes!;
      let blocking = 1;
      for (let k = 1; k <= servers!; k++) blocking = (load * blocking) / (k + load * blocking);
      const busy = load / servers!;
      return [busy >= 1 ? 1 : blocking / (1 - busy * (1 - blocking)), Math.min(busy, 2)];
    },
  },
  {
    name: 'triangle-from-sides',
    source: 'Euclid, Elements I.22; law of cosines: two angles and a perimeter',
    variables: floats(3, 1, 10),
    objectives: exact([0.6, 0.8, 14]),
    desiredL1Norm: 1e-3,
    start: [5, 5, 5],
    known: [4.666667, 3.5, 5.833333],
    evaluate: ([a, b, c]) => [
      (b! ** 2 + c! ** 2 - a! ** 2) / (2 * b! * c!),
      (a! ** 2 + c! ** 2 - b! ** 2) / (2 * a! * c!),
      a! + b! + c!,
    ],
  },
  {
    name: 'voltage-divider',
    source: 'Ohm (1827): output voltage, current and source resistance of a loaded divider',
    variables: floats(3, 0.1, 50),
    objectives: withinPercent([3.3, 1.2, 2.2], 1),
    start: [40, 40, 5],
    known: [7.25, 3.1584, 21.27],
    evaluate: ([upper, lower, load]) => {
      const parallel = (lower! * load!) / (lower! + load!);
      return [(12 * parallel) / (upper! + parallel), 12 / (upper! + parallel), (upper! * lower!) / (upper! + lower!)];
    },
  },
  {
    name: 'three-hump-camel',
    source: 'Jamil, Yang (2013), three-hump camel',
    variables: floats(2, -4, 5),
    objectives: [minimize(0.05)],
    start: [-3, 3],
    known: [0, 0],
    evaluate: ([a, b]) => [2 * a! ** 2 - 1.05 * a! ** 4 + a! ** 6 / 6 + a! * b! + b! ** 2],
  },
  {
    name: 'mccormick',
    source: 'McCormick (1976), Computability of global solutions',
    variables: [float(-1.5, 4), float(-3, 4)],
    objectives: [minimize(-1.9)],
    start: [3.5, -2.5],
    known: [-0.54719, -1.54719],
    evaluate: ([a, b]) => [Math.sin(a! + b!) + (a! - b!) ** 2 - 1.5 * a! + 2.5 * b! + 1],
  },
]);
