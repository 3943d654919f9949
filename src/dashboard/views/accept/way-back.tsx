import { useId, useState } from 'preact/hooks';
import { copyText } from '../../parts/clipboard.ts';
import { Fault } from '../../parts/fault.tsx';
import { useSending } from '../../parts/sending.ts';
import { service } from '../../shell/service.ts';
import { session } from '../../shell/session.ts';

interface WayBackProps {
  onMade?(): void;
}

/** A key with which a person signs in again, from any browser. */
export function WayBack({ onMade }: WayBackProps) {
  const [key, setKey] = useState<string | undefined>(undefined);
  const [said, setSaid] = useState('');
  const sending = useSending();
  const id = useId();
  const make = () =>
    sending.send(async () => {
      // The session may have ended meanwhile.
      if (!session.value) return;
      const { scopes } = session.value;
      const { body } = await service.call('createMyKey', { body: { scopes, label: 'signing in' } });
      setKey(body.key);
      onMade?.();
    });
  if (key === undefined) {
    return (
      <>
        <p>
          This browser stays signed in for up to a week, and for 12 hours without a request. To come back later, or from
          another computer, keep a key of your own, in a password manager for example.
        </p>
        <Fault error={sending.error} />
        <p>
          <button type="button" disabled={sending.isBusy} onClick={() => void make()}>
            Make a key to sign in again
          </button>
        </p>
      </>
    );
  }
  const copy = async () => {
    setSaid((await copyText(key)) ? 'Copied.' : 'The browser refused to copy. Select the text and copy it yourself.');
  };
  return (
    <>
      <label for={id}>Your key</label>
      <div class="shown-once">
        <input id={id} class="secret" readOnly value={key} onFocus={({ currentTarget }) => currentTarget.select()} />
        <button type="button" class="primary" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <p role="status">{said}</p>
      <p class="notice warning">Keep it now: it is shown only once. Whoever has it acts in your name.</p>
    </>
  );
}
