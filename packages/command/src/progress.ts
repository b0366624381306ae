/** Shows the progress of long work, on standard error if it is a terminal and nowhere else. */
import { systemClock } from '@parley/clock';

const width = 24;
/** Often enough to look active. */
const intervalMs = 100;
/** Before this, the rate says nothing. */
const rateAfterMs = 2_000;

export type Bar = {
  /** @param by how many of the total were done since the last call */
  readonly advance: (by: number) => void;
  readonly finish: () => void;
};

function duration(secs: number): string {
  const rounded = Math.ceil(secs);
  const [hours, minutes] = [Math.floor(rounded / 3600), Math.floor(rounded / 60) % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rounded % 60} s` : `${rounded} s`;
}

/** @returns how fast it goes and how long it takes from now on, if that is known yet */
function describePace(done: number, total: number, passedMs: number): string {
  if (passedMs < rateAfterMs || done === 0) return '';
  const perSec = (done / passedMs) * 1000;
  const rate = Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(
    perSec,
  );
  return total > done ? ` ${rate}/s, ${duration((total - done) / perSec)} left` : ` ${rate}/s`;
}

export class Progress {
  readonly #write: ((text: string) => void) | undefined;

  /** @param write undefined if nobody sees it */
  constructor(write: ((text: string) => void) | undefined) {
    this.#write = write;
  }

  /**
   * Shows a bar with rate and time left until it is finished.
   *
   * @param total 0 if nobody knows: then only what was done is shown
   */
  start(label: string, total: number): Bar {
    const write = this.#write;
    if (write === undefined) return { advance: () => undefined, finish: () => undefined };
    let done = 0;
    const startedAt = systemClock.elapsedMs();
    let shownAt = Number.NEGATIVE_INFINITY;
    const show = (): void => {
      const share = total === 0 ? 0 : Math.min(1, done / total);
      const full = Math.round(share * width);
      const bar = '#'.repeat(full) + '-'.repeat(width - full);
      const now = systemClock.elapsedMs();
      const pace = describePace(done, total, now - startedAt);
      const shown =
        total === 0
          ? `${label} ${done === 0 ? '…' : Math.floor(done)}`
          : `${label} [${bar}] ${Math.floor(share * 100)}%`;
      write(`\r\u001B[K${shown}${pace}`);
      shownAt = now;
    };
    show();
    return {
      advance: (by) => {
        done += by;
        if (systemClock.elapsedMs() - shownAt >= intervalMs) show();
      },
      finish: () => write('\r\u001B[K'),
    };
  }
}
