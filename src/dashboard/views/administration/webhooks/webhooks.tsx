/** The webhooks of the account. */
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../../../clients/typescript/src/index.ts';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { useSending } from '../../../parts/sending.ts';
import { Link } from '../../../shell/link.tsx';
import { navigate } from '../../../shell/router.ts';
import { service } from '../../../shell/service.ts';
import { useLive } from '../../../shell/use-live.ts';
import { addressOf, type SectionProps } from '../parts/choice.ts';
import { Moment } from '../parts/moment.tsx';
import { PAUSE_MS, readAll } from '../parts/read-list.ts';
import { Waits } from '../parts/waits.tsx';
import { CreateWebhookDialog } from './create-webhook-dialog.tsx';
import { Deliveries } from './deliveries.tsx';
import { describeEvents } from './events.ts';

export function Webhooks({ choice: { open } }: SectionProps) {
  const live = useLive<readonly Webhook[]>(
    { read: (signal) => readAll('listWebhooks', { signal }), pauseMs: PAUSE_MS },
    [],
  );
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <div class="admin-head">
        <p class="hint">
          The service posts events to webhooks when something happens, so that programs do not have to poll.
        </p>
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          Create a webhook
        </button>
      </div>
      <Waits live={live}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <NoWebhooks />
          ) : (
            <ul class="admin-list">
              {webhooks.toReversed().map((webhook) => (
                <WebhookItem key={webhook.id} webhook={webhook} isOpen={webhook.id === open} onChanged={live.refresh} />
              ))}
            </ul>
          )
        }
      </Waits>
      {isCreating && <CreateWebhookDialog onCreated={live.refresh} onClose={() => setCreating(false)} />}
    </>
  );
}

function NoWebhooks() {
  return (
    <div class="admin-none">
      <p>
        There are no webhooks yet. Create one with the address of your receiver, here or with{' '}
        <code>npx backsolve webhooks create https://example.com/backsolve</code>.
      </p>
    </div>
  );
}

interface WebhookItemProps {
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  onChanged(): void;
}

function WebhookItem({ webhook, isOpen, onChanged }: WebhookItemProps) {
  const { id, url, description, enabled, failingSince } = webhook;
  const [isDeleting, setDeleting] = useState(false);
  const { isBusy, error, send } = useSending();
  const path = { webhook_id: id };
  const toggle = async () => {
    if (await send(() => service.call('updateWebhook', { path, body: { enabled: !enabled } }))) onChanged();
  };
  return (
    <li>
      <div class="admin-item-head">
        <h3>
          <bdi>{url}</bdi>
        </h3>
        <WebhookState webhook={webhook} />
      </div>
      {description !== null && (
        <p>
          <bdi>{description}</bdi>
        </p>
      )}
      <p class="hint">
        Takes {describeEvents(webhook)}
        {failingSince !== null && (
          <>
            {' '}
            · failing since <Moment time={failingSince} />
          </>
        )}
      </p>
      <Fault error={error} />
      <p class="admin-actions">
        <Link to={addressOf({ show: 'webhooks', open: isOpen ? undefined : id })} class="button">
          {isOpen ? 'Hide deliveries' : 'Deliveries'}
          <span class="visually-hidden"> of {url}</span>
        </Link>
        <button type="button" disabled={isBusy} onClick={() => void toggle()}>
          {enabled ? 'Disable' : 'Enable'}
          <span class="visually-hidden"> {url}</span>
        </button>
        <button type="button" onClick={() => setDeleting(true)}>
          Delete…<span class="visually-hidden"> {url}</span>
        </button>
      </p>
      {isOpen && <Deliveries webhook={webhook} />}
      {isDeleting && (
        <ConfirmDialog
          title="Delete this webhook?"
          action="Delete"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await service.call('deleteWebhook', { path });
            setDeleting(false);
            if (isOpen) navigate(addressOf({ show: 'webhooks' }), { replace: true });
            onChanged();
          }}
        >
          <p>
            <bdi>{url}</bdi> gets no more events. Its secret and its deliveries are deleted, including those still
            waiting.
          </p>
        </ConfirmDialog>
      )}
    </li>
  );
}

function WebhookState({ webhook: { enabled, failingSince } }: { readonly webhook: Webhook }) {
  if (!enabled) return <span class="badge over">Disabled</span>;
  return failingSince === null ? <span class="badge good">Enabled</span> : <span class="badge bad">Failing</span>;
}
