/** Models whose parameters are to reproduce given outputs: kinetics, medicine, vehicles, cells, wells, optics. */
import { defineProblems, float, floats, within, withinPercent } from '../problem.ts';
import { integrate, sample } from '../runge-kutta.ts';
import { type Surface, traceRay } from './lens.ts';

/** Methanol to hydrocarbons: shares of methanol, intermediates and products at three times. */
function hydrocarbons([a, b, c, d, e]: readonly number[]): number[] {
  const states = integrate(
    ([m, x]) => {
      const scale = (b! + e!) * m! + x!;
      return [
        -(2 * b! - (a! * x!) / scale + c! + d!) * m!,
        (a! * m! * (b! * m! - x!)) / scale + c! * m!,
        (a! * m! * (x! + e! * m!)) / scale + d! * m!,
      ];
    },
    [1, 0, 0],
    1.1,
    220,
  );
  return [40, 110, 220].flatMap((step) => states[step]!);
}

/** Batch growth: growth rate (1/h), half saturation (g/l), yield, decay (1/h) to biomass and substrate (g/l). */
export function monodBatch([growth, saturation, gain, decay]: readonly number[]): number[] {
  const states = integrate(
    ([biomass, substrate]) => {
      const uptake = (growth! * biomass! * Math.max(0, substrate!)) / (saturation! + Math.max(0, substrate!));
      return [uptake - decay! * biomass!, -uptake / gain!];
    },
    [0.1, 10],
    20,
    400,
  );
  return [...sample(states, 0, [80, 160, 220, 280, 400]), ...sample(states, 1, [80, 160, 220])];
}

const insulinTimes = [0, 2, 4, 6, 8, 10, 12, 14, 16, 19, 22, 27, 32, 42, 52, 62, 72, 82, 92, 102, 122, 142, 162, 182];
const insulinData = [11, 26, 130, 85, 51, 49, 45, 41, 35, 30, 30, 27, 30, 22, 15, 15, 11, 10, 8, 11, 7, 8, 8, 7];
function insulin(time: number): number {
  const after = insulinTimes.findIndex((known) => known >= time);
  if (after < 0) return insulinData[insulinData.length - 1]!;
  if (after === 0) return insulinData[0]!;
  const [t0, t1] = [insulinTimes[after - 1]!, insulinTimes[after]!];
  return insulinData[after - 1]! + ((time - t0) / (t1 - t0)) * (insulinData[after]! - insulinData[after - 1]!);
}
/** Glucose effectiveness and decay of insulin action (1/min), insulin gain (1e-6), first glucose to glucose (mg/dl). */
function glucose([effectiveness, decay, gain, first]: readonly number[]): number[] {
  const states = integrate(
    ([level, action], time) => [
      -(effectiveness! + action!) * level! + effectiveness! * 92,
      -decay! * action! + gain! * 1e-6 * (insulin(time) - 7.3),
    ],
    [first!, 0],
    182,
    728,
  );
  return sample(states, 0, [32, 56, 88, 128, 208, 328, 488, 728]);
}

/**
 * Quarter car over a bump of 5 cm and 0.25 s: spring (N/mm), damper (N s/m), tyre (N/mm).
 *
 * @returns largest acceleration of the body (m/s2), spring travel (mm), tyre deflection (mm), body height after 0.6 s (mm)
 */
function quarterCar([spring, damper, tyre]: readonly number[]): number[] {
  const road = (time: number) => (time < 0.25 ? 0.05 * Math.sin((Math.PI * time) / 0.25) : 0);
  const force = ([body, wheel, bodySpeed, wheelSpeed]: readonly number[]) =>
    1000 * spring! * (wheel! - body!) + damper! * (wheelSpeed! - bodySpeed!);
  const states = integrate(
    (state, time) => [
      state[2]!,
      state[3]!,
      force(state) / 290,
      (1000 * tyre! * (road(time) - state[1]!) - force(state)) / 59,
    ],
    [0, 0, 0, 0],
    2,
    1000,
  );
  const largest = (measure: (state: readonly number[], step: number) => number) =>
    Math.max(...states.map((state, step) => Math.abs(measure(state, step))));
  return [
    largest((state) => force(state) / 290),
    1000 * largest(([body, wheel]) => wheel! - body!),
    1000 * largest(([, wheel], step) => road(step * 0.002) - wheel!),
    1000 * states[300]![0]!,
  ];
}

/**
 * Randles cell: electrolyte and charge transfer resistance (ohm), constant phase element (1e-6 s^a / ohm, exponent),
 * Warburg coefficient (ohm / s^0.5) to real and minus imaginary part of the impedance at seven frequencies.
 */
function randles([electrolyte, transfer, size, exponent, warburg]: readonly number[]): number[] {
  return [0.1, 1, 10, 50, 200, 1000, 10000].flatMap((frequency) => {
    const w = 2 * Math.PI * frequency;
    const diffusion = warburg! / Math.sqrt(w);
    const faradaic = [transfer! + diffusion, -diffusion] as const;
    const square = faradaic[0] ** 2 + faradaic[1] ** 2;
    const element = size! * 1e-6 * w ** exponent!;
    const angle = (exponent! * Math.PI) / 2;
    const admittance = [
      element * Math.cos(angle) + faradaic[0] / square,
      element * Math.sin(angle) - faradaic[1] / square,
    ] as const;
    const total = admittance[0] ** 2 + admittance[1] ** 2;
    return [electrolyte! + admittance[0] / total, admittance[1] / total];
  });
}

/**
 * Vertical flight of a sounding rocket of 16 cm diameter: thrust (N), burn time (s), drag coefficient, take-off mass (kg).
 *
 * @returns apogee (m), largest speed (m/s), time of the apogee (s), largest dynamic pressure (kPa); null when the
 *   propellant is more than seven tenths of the mass
 */
function soundingRocket([thrust, burn, drag, mass]: readonly number[]): number[] | null {
  const consumption = thrust! / (220 * 9.81);
  if (consumption * burn! > 0.7 * mass!) return null;
  const pressure = ([height, speed]: readonly number[]) => 0.5 * 1.225 * Math.exp(-height! / 8500) * speed! ** 2;
  const slope = (state: readonly number[], push: number, present: number) => {
    const resistance = pressure(state) * drag! * Math.PI * 0.0064 * Math.sign(state[1]!);
    return [state[1]!, (push - resistance) / present - 9.81];
  };
  const powered = integrate((state, time) => slope(state, thrust!, mass! - consumption * time), [0, 0], burn!, 200);
  const dry = mass! - consumption * burn!;
  const coasting = integrate((state) => slope(state, 0, dry), powered[200]!, 90, 1800);
  const top = coasting.findIndex(([, speed]) => speed! < 0);
  const [before, after] = [coasting[top - 1]!, coasting[top]!];
  const share = before[1]! / (before[1]! - after[1]!);
  const flight = [...powered, ...coasting.slice(0, top)];
  return [
    before[0]! + 0.5 * share * 0.05 * before[1]!,
    Math.max(...flight.map(([, speed]) => speed!)),
    burn! + 0.05 * (top - 1 + share),
    Math.max(...flight.map(pressure)) / 1000,
  ];
}

/** Exponential integral E1 for u > 0: power series below 1, continued fraction above (Abramowitz, Stegun 5.1). */
function wellFunction(u: number): number {
  if (u > 1) {
    let fraction = 0;
    for (let k = 40; k >= 1; k--) fraction = k / (1 + k / (u + fraction));
    return Math.exp(-u) / (u + fraction);
  }
  let total = -0.5772156649015329 - Math.log(u);
  let term = -1;
  for (let k = 1; k <= 20; k++) {
    term *= -u / k;
    total += term / k;
  }
  return total;
}
/** Transmissivity (1e-3 m2/s), storativity (1e-4), distance of an impervious wall (m) to the fall in two wells (m). */
function pumpingTest([transmissivity, storativity, wall]: readonly number[]): number[] {
  const [T, S] = [transmissivity! * 1e-3, storativity! * 1e-4];
  return [30, 90].flatMap((distance) =>
    [5, 30, 120, 500, 1440].map((minutes) => {
      const u = (r: number) => (r * r * S) / (4 * T * 60 * minutes);
      return (0.03 / (4 * Math.PI * T)) * (wellFunction(u(distance)) + wellFunction(u(2 * wall! - distance)));
    }),
  );
}

/**
 * Cooke triplet of f = 50 at f/5: six curvatures (1 / m), thicknesses and glasses fixed.
 *
 * @returns focal length (mm), heights (mm) in the image plane of two rays along the axis and of three rays at 14 degrees;
 *   null when a ray does not pass
 */
function triplet(curvatures: readonly number[]): number[] | null {
  const distances = [3.258957, 6.007551, 0.999975, 4.750409, 2.952076, 42.20778];
  const indices = [1.62041, 1, 1.62004, 1, 1.62041, 1];
  const surfaces = curvatures.map(
    (value, i): Surface => ({ curvature: value / 1000, distance: distances[i]!, index: indices[i]! }),
  );
  const sine = Math.sin((14 * Math.PI) / 180);
  const chief = -11.5 * Math.tan((14 * Math.PI) / 180);
  const rays = [
    traceRay(surfaces, 0.01, 0),
    traceRay(surfaces, 5, 0),
    traceRay(surfaces, 3.5, 0),
    ...[-3.5, 0, 3.5].map((offset) => traceRay(surfaces, chief + offset, sine)),
  ];
  if (rays.some((ray) => ray === null)) return null;
  return [-0.01 / rays[0]!.sine, ...rays.slice(1).map((ray) => ray!.height)];
}

const truth = {
  hydrocarbons: [4.2, 1.1, 0.35, 0.25, 0.12],
  monod: [0.42, 0.8, 0.45, 0.03],
  glucose: [0.026, 0.025, 12.5, 279],
  quarterCar: [17, 1500, 190],
  randles: [20, 250, 40, 0.86, 60],
  rocket: [1900, 3.4, 0.48, 24],
  pumping: [6, 4, 260],
  triplet: [22.01359, -435.76044, -22.21328, 20.29192, 79.6836, -18.39533].map((radius) => 1000 / radius),
};
const tripletTargets = triplet(truth.triplet)!;

export const simulatorProblems = defineProblems('simulators', [
  {
    name: 'methanol-to-hydrocarbons',
    source: 'Maria (1989); Dolan, More, Munson (2004), COPS; targets from chosen rates',
    variables: [float(0.5, 8), float(0.2, 3), ...floats(3, 0, 1)],
    objectives: within(hydrocarbons(truth.hydrocarbons), 0.01),
    start: [1, 2, 0.8, 0.7, 0.8],
    known: truth.hydrocarbons,
    evaluate: hydrocarbons,
  },
  {
    name: 'monod-batch',
    source: 'Monod (1949), The growth of bacterial cultures; batch with decay, targets from chosen constants',
    variables: [float(0.1, 1), float(0.05, 3), float(0.2, 0.8), float(0, 0.1)],
    objectives: within(monodBatch(truth.monod), 0.1),
    start: [0.2, 2, 0.3, 0.08],
    known: truth.monod,
    evaluate: monodBatch,
  },
  {
    name: 'glucose-minimal-model',
    source: 'Bergman, Ider, Bowden, Cobelli (1979); insulin of Pacini, Bergman (1986), targets from chosen constants',
    variables: [float(0.005, 0.08), float(0.005, 0.1), float(1, 40), float(200, 350)],
    objectives: withinPercent(glucose(truth.glucose), 2),
    start: [0.06, 0.08, 30, 220],
    known: truth.glucose,
    evaluate: glucose,
  },
  {
    name: 'quarter-car',
    source: 'Gillespie (1992), Fundamentals of vehicle dynamics; spring, damper and tyre from the response to a bump',
    variables: [float(8, 40), float(300, 4000), float(100, 300)],
    objectives: withinPercent(quarterCar(truth.quarterCar), 2),
    start: [35, 3500, 280],
    known: truth.quarterCar,
    evaluate: quarterCar,
  },
  {
    name: 'randles-impedance',
    source: 'Randles (1947); Barsoukov, Macdonald, Impedance spectroscopy; with a constant phase element',
    variables: [float(5, 100), float(50, 1000), float(1, 200), float(0.6, 1), float(5, 200)],
    objectives: withinPercent(randles(truth.randles), 3),
    start: [60, 600, 120, 0.7, 150],
    known: truth.randles,
    evaluate: randles,
  },
  {
    name: 'sounding-rocket',
    source: 'Sutton, Biblarz, Rocket propulsion elements; vertical flight in an exponential atmosphere',
    variables: [float(600, 4000), float(1, 8), float(0.2, 0.9), float(15, 40)],
    objectives: withinPercent(soundingRocket(truth.rocket)!, 1),
    start: [1000, 2, 0.8, 35],
    known: truth.rocket,
    evaluate: soundingRocket,
  },
  {
    name: 'theis-pumping-test',
    source: 'Theis (1935); Ferris (1962), image wells; two observation wells, targets from a chosen aquifer',
    variables: [float(1, 20), float(0.1, 50), float(100, 800)],
    objectives: withinPercent(pumpingTest(truth.pumping), 1.5),
    start: [15, 30, 600],
    known: truth.pumping,
    evaluate: pumpingTest,
  },
  {
    name: 'cooke-triplet',
    source:
      'Taylor (1893), patent GB 22607; Kingslake, Lens design fundamentals; prescription of a common f = 50 triplet',
    variables: [float(30, 60), float(-20, 15), float(-60, -30), float(35, 65), float(-5, 30), float(-70, -40)],
    objectives: [
      ...within(tripletTargets.slice(0, 1), 0.3),
      ...within(tripletTargets.slice(1, 3), 0.03),
      ...within(tripletTargets.slice(3), 0.05),
    ],
    start: [38, -12, -40, 42, 5, -46],
    known: truth.triplet,
    evaluate: triplet,
  },
]);
