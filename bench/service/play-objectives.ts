import { type Client, loadObjective } from './client.ts';
import { playCycle } from './cycle-rate.ts';

export interface Play {
  /** Objectives played at a time. */
  readonly clients: number;
  /** The least number of cycles, of all clients together. */
  readonly cycles: number;
  /** A fresh objective after so many cycles keeps the histories short. */
  readonly cyclesPerObjective: number;
}

/** Plays cycles (suggest, load output) on fresh objectives. Returns how many. */
export async function playObjectives(client: Client, { clients, cycles, cyclesPerObjective }: Play): Promise<number> {
  const objectives = Math.ceil(cycles / cyclesPerObjective);
  let left = objectives;
  const playFresh = async () => {
    while (left-- > 0) {
      const path = await loadObjective(client);
      for (let cycle = 0; cycle < cyclesPerObjective; cycle++) await playCycle(client, path);
    }
  };
  await Promise.all(Array.from({ length: clients }, playFresh));
  return objectives * cyclesPerObjective;
}
