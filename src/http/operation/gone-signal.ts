/** Work that ends with the client of a request. */
import type { DesignEngine } from '../../application/problem/designs.ts';
import { ClientGoneError } from '../connection/client-presence.ts';
import type { Call } from './operation.ts';

/** Fires when the client disconnects before it has the whole answer. */
export function goneSignalOf({ whenGone }: Pick<Call<unknown, unknown>, 'whenGone'>): AbortSignal {
  const gone = new AbortController();
  whenGone(() => gone.abort(new ClientGoneError()));
  return gone.signal;
}

/** Designs for the request, until its client is gone. */
export function designEngineOf(call: Pick<Call<unknown, unknown>, 'accountId' | 'deps' | 'whenGone'>): DesignEngine {
  return call.deps.designs.for(call.accountId, goneSignalOf(call));
}
