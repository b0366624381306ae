/** Nearer to the end than this the reader is at the end. */
const endMarginPx = 60;

/**
 * Keeps what a reader sees in its place while messages are added, taken away or change their height (pictures that load). The one who is at the
 * end stays there.
 */
export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  /** Its lower edge: the name above a row goes when another one of the same sender comes before it. */
  #held:
    | { readonly row: HTMLElement; readonly bottom: number; readonly scrollTop: number }
    | undefined;

  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
  }

  /**
   * Remembers what the reader sees: after each scroll.
   *
   * @returns ids of the messages whose end is in sight, and whether that is the end of all
   */
  hold(): { readonly seenIds: readonly number[]; readonly isAtEnd: boolean } {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const { top, bottom } = this.#scroller.getBoundingClientRect();
    const inSight = this.#rows()
      .map((row) => ({ row, place: row.getBoundingClientRect() }))
      .filter(({ place }) => place.bottom > top && place.top < bottom);
    const [first] = inSight;
    this.#held = first && { row: first.row, bottom: first.place.bottom, scrollTop };
    return {
      seenIds: inSight
        .filter(({ place }) => place.bottom <= bottom + 1)
        .map(({ row }) => Number(row.dataset['messageId'])),
      isAtEnd: scrollHeight - scrollTop - clientHeight < endMarginPx,
    };
  }

  /** Brings it back: after each change of the page. What the reader scrolled since it was held is kept. */
  restore(): void {
    if (this.#held?.row.isConnected !== true) return;
    const { row, bottom, scrollTop } = this.#held;
    const scrolled = this.#scroller.scrollTop - scrollTop;
    this.#scroller.scrollTop += row.getBoundingClientRect().bottom - bottom + scrolled;
  }

  /** Shows a message, or the one after it, a third of the height from above. */
  show(messageId: number): HTMLElement | undefined {
    const row = this.#rows().find(({ dataset }) => Number(dataset['messageId']) >= messageId);
    if (row === undefined) return undefined;
    const { top, height } = this.#scroller.getBoundingClientRect();
    this.#scroller.scrollTop += row.getBoundingClientRect().top - top - height / 3;
    return row;
  }

  showEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #rows(): readonly HTMLElement[] {
    return [...this.#scroller.querySelectorAll<HTMLElement>('[data-message-id]')];
  }
}
