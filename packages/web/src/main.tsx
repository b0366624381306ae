import './styles/index.css';
import { options, render } from 'preact';

import { resumeSession } from './data/session.ts';
import { registerWorker, reloadWhenReplaced } from './register-worker.ts';
import { Root } from './views/root.tsx';

/** Hidden pages have no frames: there it is drawn after this time. */
const hiddenDrawMs = 100;

// Many events may come within a frame. What they change is drawn once.
options.debounceRendering = (draw) => {
  const drawOnce = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timeout);
    draw();
  };
  const frame = requestAnimationFrame(drawOnce);
  const timeout = setTimeout(drawOnce, hiddenDrawMs);
};

const element = document.querySelector('#app');
if (element === null) throw new Error('the page has no place for the client');
void resumeSession();
render(<Root />, element);
registerWorker();
reloadWhenReplaced();
