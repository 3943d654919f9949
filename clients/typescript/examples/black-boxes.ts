/** Stand-ins for what you have: simulations, spreadsheets, test rigs. */

/** A stirred reactor: its temperature in K and its cost per hour. */
export function reactor({ k1, n, m }: { readonly k1: number; readonly n: number; readonly m: 'steel' | 'brass' }) {
  const conversion = (n * k1) / (1 + n * k1);
  return {
    T: 320 + 90 * conversion + (m === 'brass' ? 6 : 0),
    cost: 12 + 4 * n + (m === 'steel' ? 5 : 9) - 10 * conversion,
  };
}

/** A cantilever of steel: its mass in kg and its sag in mm under 500 N. */
export function bracket({ length, width, height }: Readonly<Record<'length' | 'width' | 'height', number>>) {
  const inertia = (width * height ** 3) / 12;
  return { mass: 7.85e-6 * length * width * height, sag: (500 * length ** 3) / (3 * 210_000 * inertia) };
}

/** An epidemic: its peak in percent of all people, and the day of the peak. */
export function epidemic({ contacts, recovery }: { readonly contacts: number; readonly recovery: number }) {
  let [healthy, ill, peak, day] = [0.999, 0.001, 0, 0];
  for (let hour = 0; hour < 24 * 200; hour++) {
    const [caught, cured] = [(contacts * healthy * ill) / 24, (recovery * ill) / 24];
    [healthy, ill] = [healthy - caught, ill + caught - cured];
    if (ill > peak) [peak, day] = [ill, hour / 24];
  }
  return { peak: 100 * peak, day };
}

/** An alloy of three metals: strength in MPa, density in kg/dm3, and price. */
export function alloy({ zinc, copper, tin }: Readonly<Record<'zinc' | 'copper' | 'tin', number>>) {
  const lead = 1 - zinc - copper - tin;
  return {
    strength: 120 + 380 * copper + 210 * tin - 260 * (tin - 0.12) ** 2 + 150 * zinc * copper,
    density: 7.1 * zinc + 8.96 * copper + 7.3 * tin + 11.3 * lead,
    price: 2.4 * zinc + 8.1 * copper + 24 * tin + 2 * lead,
  };
}

/** A pump: its flow in m3/h, its power in kW, and its noise in dB. It stalls, and throws, at low speed with a large wheel. */
export async function pump({
  speed,
  wheel,
  quiet,
}: {
  readonly speed: number;
  readonly wheel: number;
  readonly quiet: boolean;
}) {
  await new Promise((resolve) => setImmediate(resolve));
  if (speed < 900 && wheel > 260) throw new Error('stalled');
  const flow = 2.1e-6 * speed * wheel ** 2 * (quiet ? 0.94 : 1);
  return {
    flow,
    power: 1.1e-12 * speed ** 3 * (wheel / 10) ** 2 + 0.01 * flow,
    noise: 38 + speed / 90 - (quiet ? 7 : 0),
  };
}

/** A lens of two glasses: its focal length in mm, and its error of color. NaN where no lens can be ground. */
export function lens({ front, back, plate }: Readonly<Record<'front' | 'back' | 'plate', number>>) {
  const power = 0.517 / front - 0.617 / back + plate / 9_000;
  return power <= 0
    ? [Number.NaN, Number.NaN]
    : [1 / power, Math.abs(0.517 / front / 64.2 - 0.617 / back / 36.4) * 1e6];
}
