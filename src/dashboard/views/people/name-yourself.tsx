import { useState } from 'preact/hooks';
import { signIn } from '../../shell/session.ts';

interface NameYourselfProps {
  onNamed(): void;
}

/** For whoever signed in with a link of the service or a key of the account: records then name a person. */
export function NameYourself({ onNamed }: NameYourselfProps) {
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    // The header says why it failed.
    if (await signIn({ name: name.trim() })) onNamed();
    setBusy(false);
  };
  return (
    <form class="notice" onSubmit={(event) => void send(event)}>
      <p>You are signed in without a name. With one, everything that you enter says that it was you.</p>
      <label for="own-name">Your name</label>
      <div class="shown-once">
        <input
          id="own-name"
          autocomplete="name"
          maxLength={100}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit" disabled={isBusy || name.trim() === ''}>
          Go on with this name
        </button>
      </div>
    </form>
  );
}
