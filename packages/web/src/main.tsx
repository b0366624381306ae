import './styles/index.css';
import { render } from 'preact';

import { resumeSession } from './data/session.ts';
import { registerWorker, reloadWhenReplaced } from './register-worker.ts';
import { Root } from './views/root.tsx';

const element = document.querySelector('#app');
if (element === null) throw new Error('the page has no place for the client');
void resumeSession();
render(<Root />, element);
registerWorker();
reloadWhenReplaced();
