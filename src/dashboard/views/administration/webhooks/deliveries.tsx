/** The deliveries to a webhook and their outcomes. */

import { useRef } from 'preact/hooks';
import type { Webhook, WebhookDelivery } from '../../../../../clients/typescript/src/index.ts';
import { grouped } from '../../../../presentation/formats.ts';
import { Age } from '../../../parts/age.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { useSending } from '../../../parts/sending.ts';
import { TableHead } from '../../../parts/table-head.tsx';
import { service } from '../../../shell/service.ts';
import { useLive } from '../../../shell/use-live.ts';
import { Moment } from '../parts/moment.tsx';
import { type Newest, PAUSE_MS, readNewest } from '../parts/read-list.ts';
import { Waits } from '../parts/waits.tsx';

/** Shown initially, and added by each click on "Show more". */
const SHOWN = 50;

const isOver = ({ status }: WebhookDelivery) => status === 'delivered' || status === 'dead';

export function Deliveries({ webhook: { id, url } }: { readonly webhook: Webhook }) {
  const count = useRef(SHOWN);
  const live = useLive<Newest<WebhookDelivery>>(
    {
      read: (signal) => readNewest('listDeliveries', count.current, { path: { webhook_id: id }, signal }),
      pauseMs: PAUSE_MS,
    },
    [id],
  );
  const { isBusy, error, send } = useSending();
  const redeliver = (delivery: WebhookDelivery) =>
    send(async () => {
      const path = { webhook_id: id, delivery_id: delivery.id };
      await service.call('redeliver', { path });
      live.refresh();
    });
  return (
    <>
      <Fault error={error} />
      <Waits live={live}>
        {({ items: newest, hasMore }) => {
          if (newest.length === 0) return <p class="hint">Nothing has been sent to it yet.</p>;
          return (
            <>
              <ScrollBox label={`Deliveries to ${url}`}>
                <table class="admin-table">
                  <TableHead
                    titles={['Event', 'Status', 'Attempts', 'Last attempt', 'Last answer', 'Next attempt']}
                    numbers={['Attempts']}
                    controls="Actions"
                  />
                  <tbody>
                    {newest.map((delivery) => (
                      <DeliveryRow
                        key={delivery.id}
                        delivery={delivery}
                        isBusy={isBusy}
                        onRedeliver={() => void redeliver(delivery)}
                      />
                    ))}
                  </tbody>
                </table>
              </ScrollBox>
              <p class="hint">
                {hasMore ? `The newest ${grouped(newest.length)}.` : 'All, newest first.'} Finished ones are kept for 30
                days.{' '}
                {hasMore && (
                  <button
                    type="button"
                    onClick={() => {
                      count.current += SHOWN;
                      live.refresh();
                    }}
                  >
                    Show more
                  </button>
                )}
              </p>
            </>
          );
        }}
      </Waits>
    </>
  );
}

const STATUSES: Readonly<Record<WebhookDelivery['status'], readonly [text: string, look: string]>> = {
  waiting: ['Waiting', 'busy'],
  sending: ['Sending', 'busy'],
  delivered: ['Delivered', 'good'],
  dead: ['Dead', 'bad'],
};

interface DeliveryRowProps {
  readonly delivery: WebhookDelivery;
  readonly isBusy: boolean;
  onRedeliver(): void;
}

function DeliveryRow({ delivery, isBusy, onRedeliver }: DeliveryRowProps) {
  const { event, eventId, status, attemptCount, lastAttemptAt, lastStatus, lastError, nextAttemptAt } = delivery;
  const [text, look] = STATUSES[status];
  const answer = [lastStatus === null ? '' : `HTTP ${lastStatus}`, lastError ?? ''].filter(Boolean).join(': ');
  return (
    <tr>
      <th scope="row">
        {event} <code class="hint">evt_{eventId}</code>
      </th>
      <td>
        <span class={`badge ${look}`}>{text}</span>
      </td>
      <td class="number">{attemptCount}</td>
      <td>{lastAttemptAt === null ? '–' : <Age time={lastAttemptAt} />}</td>
      <td class="admin-text">
        <bdi>{answer || '–'}</bdi>
      </td>
      <td>{isOver(delivery) ? '–' : <Moment time={nextAttemptAt} />}</td>
      <td class="admin-actions">
        <button type="button" aria-label={`Redeliver evt_${eventId}`} disabled={isBusy} onClick={onRedeliver}>
          Redeliver
        </button>
      </td>
    </tr>
  );
}
