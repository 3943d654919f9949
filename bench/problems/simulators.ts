/**
 * Small simulators whose parameters are to reproduce given outputs: differential equations, optics, robots, heat, flight.
 * Where the targets come from a chosen parameter vector, that vector is `known` and the tolerances are those of a careful
 * experiment.
 */
import { above, atMost, below, defineProblems, exact, float, floats, within, withinPercent } from './problem.ts';
import { pumaPose } from './robot.ts';
import { integrate, sample } from './runge-kutta.ts';
import { reflectance } from './thin-film.ts';

/** SIR in shares of the population; contact rate and recovery rate per day, share infected on day 0. */
export function sir([contact, recovery, initial]: readonly number[]): number[] {
  const states = integrate(
    ([s, i]) => [-contact! * s! * i!, contact! * s! * i! - recovery! * i!],
    [1 - initial!, initial!],
    100,
    400,
  );
  const infected = states.map((state) => state[1]!);
  const peak = Math.max(...infected);
  return [100 * peak, infected.indexOf(peak) / 4, 100 * (1 - states[400]![0]!)];
}

/** SEIR: infected share in percent on eight days. */
function seir([contact, incubation, recovery, exposed]: readonly number[]): number[] {
  const states = integrate(
    ([s, e, i]) => [-contact! * s! * i!, contact! * s! * i! - e! / incubation!, e! / incubation! - i! / recovery!],
    [1 - exposed!, exposed!, 0],
    120,
    480,
  );
  return sample(states, 2, [60, 120, 160, 200, 240, 300, 360, 440]).map((share) => 100 * share);
}

function lotkaVolterra([growth, predation, gain, death]: readonly number[]): number[] | null {
  const states = integrate(
    ([prey, predator]) => [
      growth! * prey! - predation! * prey! * predator!,
      gain! * prey! * predator! - death! * predator!,
    ],
    [10, 5],
    12,
    600,
  );
  const outputs = [100, 200, 300, 400, 500].flatMap((step) => states[step]!);
  return outputs.every((value) => Number.isFinite(value) && value < 1e4) ? outputs : null;
}

/** Isomerization of alpha-pinene at 189.5 C (Box, Hunter, MacGregor, Erjavec 1973): rates per 10000 minutes. */
function pinene([k1, k2, k3, k4, k5]: readonly number[]): number[] {
  const states = integrate(
    ([pinene, , pyronene, , dimer]) => [
      -(k1! + k2!) * pinene!,
      k1! * pinene!,
      k2! * pinene! - (k3! + k4!) * pyronene! + k5! * dimer!,
      k3! * pyronene!,
      k4! * pyronene! - k5! * dimer!,
    ],
    [100, 0, 0, 0, 0],
    3.642,
    240,
  );
  return [80, 160, 240].flatMap((step) => states[step]!);
}

/** FitzHugh-Nagumo neuron (1961): the voltage at eight times; a, b, c as in Ramsay et al. (2007). */
function neuron([a, b, c]: readonly number[]): number[] {
  const states = integrate(([v, r]) => [c! * (v! - v! ** 3 / 3 + r!), -(v! - a! + b! * r!) / c!], [-1, 1], 12, 480);
  return sample(states, 0, [40, 100, 160, 220, 280, 340, 400, 460]);
}

/** Van de Vusse reactor (1964) in steady state: residence rate 1/h, temperature C, feed mol/l. */
function vanDeVusse([rate, temperature, feed]: readonly number[]): number[] {
  const kelvin = temperature! + 273.15;
  const k1 = 1.287e12 * Math.exp(-9758.3 / kelvin);
  const k3 = 9.043e9 * Math.exp(-8560 / kelvin);
  const a = (-(rate! + k1) + Math.sqrt((rate! + k1) ** 2 + 4 * k3 * rate! * feed!)) / (2 * k3);
  const b = (k1 * a) / (rate! + k1);
  return [b, (100 * b) / feed!, (100 * a) / feed!, (100 * k3 * a * a) / (2 * rate! * feed!)];
}

/**
 * Shell-and-tube heat exchanger by effectiveness and number of transfer units (Kays, London 1984), oil cooled by water.
 *
 * @returns outlet temperature of the oil (C) and of the water (C), pressure drop of the oil (kPa), area (m2)
 */
function heatExchanger([diameterMm, tubes, length, water]: readonly number[]): number[] {
  const diameter = diameterMm! / 1000;
  const oilFlow = 4;
  const velocity = oilFlow / (850 * tubes! * (Math.PI / 4) * diameter ** 2);
  const reynolds = (850 * velocity * diameter) / 0.008;
  const nusselt =
    3.66 +
    (0.0668 * ((diameter / length!) * reynolds * 110)) /
      (1 + 0.04 * ((diameter / length!) * reynolds * 110) ** (2 / 3));
  const inside = (nusselt * 0.14) / diameter;
  const outside = 900 * water! ** 0.6;
  const area = Math.PI * diameter * length! * tubes!;
  const oil = oilFlow * 2000;
  const coolant = water! * 4180;
  const smaller = Math.min(oil, coolant);
  const ratio = smaller / Math.max(oil, coolant);
  const units = area / (1 / inside + 1 / outside) / smaller;
  const root = Math.sqrt(1 + ratio * ratio);
  const effectiveness = 2 / (1 + ratio + (root * (1 + Math.exp(-units * root))) / (1 - Math.exp(-units * root)));
  const heat = effectiveness * smaller * (95 - 20);
  const friction = reynolds < 2300 ? 64 / reynolds : 0.316 / reynolds ** 0.25;
  return [95 - heat / oil, 20 + heat / coolant, (friction * (length! / diameter) * 850 * velocity ** 2) / 2000, area];
}

/** Flight with quadratic drag and side wind; speed m/s, elevation and azimuth in degrees. Null if it never lands. */
function projectile([speed, elevation, azimuth]: readonly number[]): number[] | null {
  const [up, side] = [(elevation! * Math.PI) / 180, (azimuth! * Math.PI) / 180];
  const wind = 8;
  const initial = [
    0,
    0,
    0.1,
    speed! * Math.cos(up) * Math.cos(side),
    speed! * Math.cos(up) * Math.sin(side),
    speed! * Math.sin(up),
  ];
  const states = integrate(
    ([, , , u, v, w]) => {
      const drag = 0.0025 * Math.hypot(u!, v! - wind, w!);
      return [u!, v!, w!, -drag * u!, -drag * (v! - wind), -9.81 - drag * w!];
    },
    initial,
    30,
    600,
  );
  const landing = states.findIndex((state) => state[2]! < 0);
  if (landing < 0) return null;
  const [before, after] = [states[landing - 1]!, states[landing]!];
  const share = before[2]! / (before[2]! - after[2]!);
  const at = (component: number) => before[component]! + share * (after[component]! - before[component]!);
  return [at(0), at(1), (landing - 1 + share) * 0.05];
}

/** Kepler orbit about the Earth (km, s): position after 40 minutes from a fixed start with the given velocity. */
function orbit([u, v, w]: readonly number[]): number[] | null {
  const states = integrate(
    ([x, y, z, p, q, r]) => {
      const pull = -398600.4418 / Math.hypot(x!, y!, z!) ** 3;
      return [p!, q!, r!, pull * x!, pull * y!, pull * z!];
    },
    [7000, 0, 500, u!, v!, w!],
    2400,
    300,
  );
  const hitsEarth = states.some((state) => !(Math.hypot(state[0]!, state[1]!, state[2]!) > 6400));
  return hitsEarth ? null : states[300]!.slice(0, 3);
}

/** Three-element windkessel (Westerhof 1969): resistances mmHg s/ml, compliance ml/mmHg; pressures mmHg. */
function windkessel([proximal, distal, compliance]: readonly number[]): number[] {
  const inflow = (time: number) => {
    const phase = time % 0.8;
    return phase < 0.3 ? 420 * Math.sin((Math.PI * phase) / 0.3) : 0;
  };
  const states = integrate(([p], time) => [(inflow(time) - p! / distal!) / compliance!], [80], 12, 1200);
  const beat = states.slice(1120, 1200).map((state, i) => state[0]! + proximal! * inflow((1120 + i) * 0.01));
  return [Math.max(...beat), Math.min(...beat), beat.reduce((total, value) => total + value, 0) / beat.length];
}

/** Refractive index (Cauchy A, B) and thickness of one film on silicon, from the reflectance at nine wavelengths. */
function filmSpectrum([a, b, thickness]: readonly number[]): number[] {
  return [420, 460, 500, 540, 580, 620, 660, 700, 740].map(
    (wavelength) =>
      100 * reflectance([{ index: a! + (b! * 1e4) / wavelength ** 2, thickness: thickness! }], [3.9, 0.02], wavelength),
  );
}

/** Reflectance in percent of a four-layer TiO2 / SiO2 coating on glass. */
function antireflection(thicknesses: readonly number[]): number[] {
  const layers = thicknesses.map((thickness, i) => ({ index: i % 2 === 0 ? 1.46 : 2.35, thickness }));
  return [430, 460, 490, 520, 550, 580, 610, 640, 670].map(
    (wavelength) => 100 * reflectance(layers, [1.52, 0], wavelength),
  );
}

/** Steady temperatures of a rod of five materials between 100 C and 20 C with convection (finite volumes, 50 cells). */
function rod(conductivities: readonly number[]): number[] {
  const cells = 50;
  const conductivity = (cell: number) => conductivities[Math.min(4, Math.floor(cell / 10))]!;
  const between = (cell: number) =>
    (2 * conductivity(cell) * conductivity(cell + 1)) / (conductivity(cell) + conductivity(cell + 1));
  const loss = 0.02;
  const upper: number[] = [];
  const right: number[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const west = cell === 0 ? 2 * conductivity(0) : between(cell - 1);
    const east = cell === cells - 1 ? 2 * conductivity(cell) : between(cell);
    const source = loss * 25 + (cell === 0 ? west * 100 : 0) + (cell === cells - 1 ? east * 20 : 0);
    const pivot = west + east + loss - (cell === 0 ? 0 : west * upper[cell - 1]!);
    upper.push(cell === cells - 1 ? 0 : east / pivot);
    right.push((source + (cell === 0 ? 0 : west * right[cell - 1]!)) / pivot);
  }
  for (let cell = cells - 2; cell >= 0; cell--) right[cell]! += upper[cell]! * right[cell + 1]!;
  return [4, 12, 18, 24, 30, 37, 45].map((cell) => right[cell]!);
}

/** Two linear stores in series and one beside (Nash 1957; Sugawara): discharge on ten days after a storm. */
function catchment([split, fast, slow, loss]: readonly number[]): number[] {
  const rain = [0, 12, 30, 18, 5, 0, 0, 0, 2, 0, 0, 0, 8, 4, 0, 0, 0, 0, 0, 0];
  let [first, second, ground] = [0, 0, 10];
  const flow = rain.map((depth) => {
    const effective = Math.max(0, depth - loss!);
    first += split! * effective;
    ground += (1 - split!) * effective;
    const [spill, quick, base] = [first / fast!, second / fast!, ground / slow!];
    first -= spill;
    second += spill - quick;
    ground -= base;
    return quick + base;
  });
  return [2, 3, 4, 5, 6, 8, 10, 13, 15, 19].map((day) => flow[day]!);
}

const truth = {
  sir: [0.42, 0.13, 0.002],
  seir: [0.62, 4.3, 6.8, 0.0015],
  lotkaVolterra: [1.1, 0.14, 0.045, 0.62],
  pinene: [0.593, 0.296, 0.205, 2.75, 0.4],
  neuron: [0.2, 0.2, 3],
  vanDeVusse: [22, 108, 5.1],
  projectile: [62, 41, 9],
  orbit: [-0.4, 7.4, 2.4],
  windkessel: [0.055, 1.12, 1.35],
  film: [1.46, 0.45, 310],
  rod: [1.3, 0.4, 2.2, 0.7, 1.1],
  catchment: [0.62, 2.3, 17, 1.8],
  puma: [0.4, -0.7, 0.9, 0.3, 0.8, -0.5],
};

export const simulatorProblems = defineProblems('simulators', [
  {
    name: 'sir-outbreak',
    source: 'Kermack, McKendrick (1927), A contribution to the mathematical theory of epidemics',
    variables: [float(0.15, 0.9), float(0.05, 0.4), float(1e-4, 0.01)],
    objectives: withinPercent(sir(truth.sir), 1),
    start: [0.7, 0.3, 0.008],
    known: truth.sir,
    evaluate: sir,
  },
  {
    name: 'seir-calibration',
    source: 'Anderson, May (1991), Infectious diseases of humans; SEIR',
    variables: [float(0.3, 1.2), float(2, 9), float(3, 14), float(2e-4, 0.006)],
    objectives: withinPercent(seir(truth.seir), 3),
    start: [0.5, 7, 10, 0.004],
    known: truth.seir,
    evaluate: seir,
  },
  {
    name: 'lotka-volterra',
    source: 'Volterra (1926); Lotka (1925)',
    variables: [float(0.5, 2), float(0.05, 0.3), float(0.01, 0.1), float(0.2, 1.2)],
    objectives: within(lotkaVolterra(truth.lotkaVolterra)!, 0.4),
    start: [0.8, 0.2, 0.03, 0.9],
    known: truth.lotkaVolterra,
    evaluate: lotkaVolterra,
  },
  {
    name: 'alpha-pinene',
    source: 'Box, Hunter, MacGregor, Erjavec (1973); Averick et al. (1992), MINPACK-2',
    variables: floats(5, 0, 4),
    objectives: within(pinene(truth.pinene), 0.5),
    start: [1, 1, 1, 1, 1],
    known: truth.pinene,
    evaluate: pinene,
  },
  {
    name: 'fitzhugh-nagumo',
    source: 'FitzHugh (1961); Ramsay, Hooker, Campbell, Cao (2007)',
    variables: [float(-0.4, 0.9), float(-0.2, 1), float(1.5, 4.2)],
    objectives: within(neuron(truth.neuron), 0.15),
    start: [0.6, 0.7, 2.4],
    known: truth.neuron,
    evaluate: neuron,
  },
  {
    name: 'van-de-vusse-reactor',
    source: 'Van de Vusse (1964); Klatt, Engell (1998)',
    variables: [float(3, 60), float(80, 140), float(3, 7)],
    objectives: withinPercent(vanDeVusse(truth.vanDeVusse), 0.5),
    start: [50, 90, 3.5],
    known: truth.vanDeVusse,
    evaluate: vanDeVusse,
  },
  {
    name: 'oil-cooler',
    source: 'Kays, London (1984), Compact heat exchangers; effectiveness of a shell with two tube passes',
    variables: [float(8, 30), float(20, 200), float(1, 6), float(1, 10)],
    objectives: [atMost(74), atMost(45), atMost(18), below(28)],
    start: [28, 40, 1.5, 2],
    known: [8, 176, 5.914, 10],
    evaluate: heatExchanger,
  },
  {
    name: 'artillery-in-wind',
    source: 'McCoy (1999), Modern exterior ballistics; point mass with quadratic drag',
    variables: [float(20, 120), float(10, 80), float(-40, 40)],
    objectives: exact(projectile(truth.projectile)!),
    desiredL1Norm: 0.5,
    start: [100, 20, -20],
    known: truth.projectile,
    evaluate: projectile,
  },
  {
    name: 'orbit-rendezvous',
    source: "Bate, Mueller, White (1971), Fundamentals of astrodynamics; shooting for Lambert's problem",
    variables: [float(-3, 2), float(5.5, 9), float(-1, 4)],
    objectives: exact(orbit(truth.orbit)!),
    desiredL1Norm: 1,
    start: [0.5, 8, 0.5],
    known: truth.orbit,
    evaluate: orbit,
  },
  {
    name: 'windkessel-pressure',
    source: 'Westerhof, Elzinga, Sipkema (1971); three-element windkessel',
    variables: [float(0.01, 0.2), float(0.4, 2), float(0.5, 3)],
    objectives: within(windkessel(truth.windkessel), 0.5),
    start: [0.15, 0.6, 0.8],
    known: truth.windkessel,
    evaluate: windkessel,
  },
  {
    name: 'film-on-silicon',
    source: 'Macleod, Thin-film optical filters; index by Cauchy (1830)',
    variables: [float(1.3, 2.2), float(0, 2), float(150, 500)],
    objectives: within(filmSpectrum(truth.film), 0.3),
    start: [1.9, 1.5, 400],
    known: truth.film,
    evaluate: filmSpectrum,
  },
  {
    name: 'four-layer-antireflection',
    source: 'Macleod, Thin-film optical filters; broad-band coating of TiO2 and SiO2',
    variables: [float(40, 160), float(10, 160), float(5, 100), float(5, 60)],
    objectives: new Array(9).fill(0).map(() => atMost(0.4)),
    start: [140, 30, 80, 50],
    known: [86.54, 117.5, 35.27, 11.83],
    evaluate: antireflection,
  },
  {
    name: 'composite-rod',
    source: 'Patankar (1980), Numerical heat transfer and fluid flow; one-dimensional conduction with harmonic means',
    variables: floats(5, 0.2, 3),
    objectives: within(rod(truth.rod), 0.3),
    start: [2, 2, 1, 2, 2],
    known: truth.rod,
    evaluate: rod,
  },
  {
    name: 'catchment-runoff',
    source: 'Nash (1957), The form of the instantaneous unit hydrograph; with a ground water store',
    variables: [float(0.1, 0.95), float(1.2, 6), float(5, 60), float(0, 4)],
    objectives: withinPercent(catchment(truth.catchment), 2),
    start: [0.3, 4, 40, 3],
    known: truth.catchment,
    evaluate: catchment,
  },
  {
    name: 'puma-inverse-kinematics',
    source: 'Craig, Introduction to robotics; Puma 560, all but one coordinate of the pose',
    variables: floats(6, -1.6, 1.6),
    objectives: exact(pumaPose(truth.puma)),
    desiredL1Norm: 2e-3,
    start: [-0.5, 0.5, -0.4, 0.8, -0.3, 0.6],
    known: truth.puma,
    evaluate: pumaPose,
  },
  {
    name: 'reactor-window',
    source: 'Van de Vusse (1964); product and conversion as open limits',
    variables: [float(3, 60), float(80, 140), float(3, 7)],
    objectives: [above(1.08), above(21), below(45), below(7)],
    start: [50, 90, 3.5],
    known: [60, 138.6874, 5.183367],
    evaluate: vanDeVusse,
  },
]);
