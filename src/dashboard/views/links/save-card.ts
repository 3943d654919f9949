/** Saves the card of a run, to print. */

import { save } from '../../parts/export.ts';
import { explain, service } from '../../shell/service.ts';

/** Resolves to what went wrong; empty: nothing. */
export async function saveCard(objectiveId: number, inverseId: number, iteration: number): Promise<string> {
  try {
    const path = { objective_id: objectiveId, inverse_id: inverseId };
    const { body } = await service.call('getRunCard', { path, accept: 'application/pdf' });
    save(`run-${iteration}-of-objective-${objectiveId}.pdf`, new Blob([body!], { type: 'application/pdf' }));
    return '';
  } catch (error) {
    return explain(error);
  }
}
