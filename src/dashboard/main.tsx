import { render } from 'preact';
import { Frame } from './shell/frame.tsx';
import { startSession } from './shell/session.ts';
import './styles/tokens.css';
import './styles/base.css';

void startSession();
render(<Frame />, document.getElementById('page')!);
