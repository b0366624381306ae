import './styles/index.css';
import { options, render } from 'preact';

import { mailLink, parseMailLink } from './data/mail-links.ts';
import { resumeSession } from './data/session.ts';
import { parseSignOn, signOn } from './data/single-sign-on.ts';
import { registerWorker } from './register-worker.ts';
import { Root } from './views/root.tsx';

/** Hidden pages have no frames: there it is drawn after this time. */
const hiddenDrawMs = 100;

let drawNow: (() => void) | undefined;

// Many events may come within a frame. What they change is drawn once.
options.debounceRendering = (draw) => {
  const drawOnce = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timeout);
    drawNow = undefined;
    draw();
  };
  const frame = requestAnimationFrame(drawOnce);
  const timeout = setTimeout(drawOnce, hiddenDrawMs);
  drawNow = drawOnce;
};

// What a person does next follows what they did before, however fast they are: that is drawn first.
for (const type of ['keydown', 'click']) addEventListener(type, () => drawNow?.(), true);

const element = document.querySelector('#app');
if (element === null) throw new Error('the page has no place for the client');

/** What a link in a mail says, or a provider of single sign-on, leaves the address and the history at once: it is a secret. */
function takeSecret(): void {
  const link = parseMailLink(location.hash);
  const step = parseSignOn(location.hash);
  if (link === undefined && step === undefined) return;
  history.replaceState(undefined, '', location.pathname);
  mailLink.value = link ?? mailLink.value;
  signOn.value = step ?? signOn.value;
}

takeSecret();
addEventListener('hashchange', takeSecret);
// Whoever comes back from a provider is signed in first.
if (signOn.peek() === undefined) void resumeSession();
render(<Root />, element);
registerWorker();
