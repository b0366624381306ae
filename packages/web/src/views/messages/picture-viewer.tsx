import '../../styles/pictures.css';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

import { texts } from '../../texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { fileName, isOwnPicture } from '../parts/rendered-rules.ts';
import { pictureLinks, shownPicture } from './shown-picture.ts';

const t = texts.pictures;

const zooms = { step: 1.5, min: 1, max: 6 };

/** A picture of a message as large as the page, and those before and after it, in the page or in the dialog that shows it. */
export function PictureViewer() {
  const links = useMemo(
    () =>
      [
        ...(shownPicture.peek()?.closest('dialog') ?? document).querySelectorAll<HTMLAnchorElement>(
          pictureLinks,
        ),
      ].filter(({ href }) => isOwnPicture(href, location.origin)),
    [],
  );
  const at = useSignal(links.findIndex((link) => link === shownPicture.peek()));
  const zoom = useSignal<number>(zooms.min);
  const turn = (by: number): void => {
    if (links[at.peek() + by] === undefined) return;
    at.value += by;
    zoom.value = zooms.min;
  };
  const zoomBy = (factor: number): void => {
    zoom.value = Math.min(zooms.max, Math.max(zooms.min, zoom.peek() * factor));
  };
  useEffect(() => {
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => turn(-1),
      ArrowRight: () => turn(1),
      '+': () => zoomBy(zooms.step),
      '-': () => zoomBy(1 / zooms.step),
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const act = keys[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    // Before the dialog, which keeps its keys for itself.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);
  const address = links[at.value]?.href ?? '';
  const name = fileName(address);
  return (
    <Dialog title={name} onClose={() => (shownPicture.value = undefined)}>
      <div class="picture-bar row">
        <IconButton
          icon="chevron-right"
          label={t.previous}
          disabled={at.value <= 0}
          onClick={() => turn(-1)}
        />
        <span>{t.place(at.value + 1, links.length)}</span>
        <IconButton
          icon="chevron-right"
          label={t.next}
          disabled={at.value + 1 >= links.length}
          onClick={() => turn(1)}
        />
        <button type="button" onClick={() => zoomBy(1 / zooms.step)} aria-label={t.smaller}>
          −
        </button>
        <button type="button" onClick={() => zoomBy(zooms.step)} aria-label={t.larger}>
          +
        </button>
        <a href={address} download={name}>
          {t.download}
        </a>
        <a href={address} target="_blank" rel="noreferrer">
          {t.original}
        </a>
      </div>
      <div class="picture-frame" tabIndex={0} role="group" aria-label={name}>
        <img src={address} alt={name} style={{ '--zoom': String(zoom.value) }} />
      </div>
    </Dialog>
  );
}
