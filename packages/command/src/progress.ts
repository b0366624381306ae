/** Shows the progress of long work, on standard error if it is a terminal and nowhere else. */

const width = 24;
/** Often enough to look active. */
const intervalMs = 100;

export type Bar = {
  /** @param by how many of the total were done since the last call */
  readonly advance: (by: number) => void;
  readonly finish: () => void;
};

export class Progress {
  readonly #write: ((text: string) => void) | undefined;

  /** @param write undefined if nobody sees it */
  constructor(write: ((text: string) => void) | undefined) {
    this.#write = write;
  }

  /** Shows a bar until it is finished. */
  start(label: string, total: number): Bar {
    const write = this.#write;
    if (write === undefined) return { advance: () => undefined, finish: () => undefined };
    let done = 0;
    let shownAt = Number.NEGATIVE_INFINITY;
    const show = (): void => {
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const full = Math.round(share * width);
      const bar = '#'.repeat(full) + '-'.repeat(width - full);
      write(`\r\u001B[K${label} [${bar}] ${Math.floor(share * 100)}%`);
      shownAt = performance.now();
    };
    show();
    return {
      advance: (by) => {
        done += by;
        if (performance.now() - shownAt >= intervalMs) show();
      },
      finish: () => write('\r\u001B[K'),
    };
  }
}
