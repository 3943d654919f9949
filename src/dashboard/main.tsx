import { render } from 'preact';
import { Frame } from './frame.tsx';
import { findRoute } from './routes.ts';
import { address } from './shell/router.ts';
import { startSession } from './shell/session.ts';
import './styles/tokens.css';
import './styles/frame.css';
import './styles/base.css';

void startSession();
// Preloads the view; the view itself reports a failure.
findRoute(address.value)
  ?.route.load()
  .catch(() => undefined);
render(<Frame />, document.getElementById('page')!);
