/** Nearer to the end than this the reader is at the end. */
const endMarginPx = 60;

/**
 * Keeps what a reader sees in its place while messages are added, taken away or change their height (pictures that load). The one who is at the
 * end stays there.
 */
export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  /** The messages in the page, whichever they are at the moment; those that are on their way have no id. */
  readonly #rows: HTMLCollectionOf<HTMLElement>;
  /** Its lower edge: the name above a row goes when another one of the same sender comes before it. */
  #held:
    | { readonly row: HTMLElement; readonly bottom: number; readonly scrollTop: number }
    | undefined;

  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
    this.#rows = scroller.getElementsByTagName('article');
  }

  /**
   * Remembers what the reader sees: after each scroll.
   *
   * @returns the id of the first message in sight, those of the messages whose end is in sight, and whether that is the end of all
   */
  hold() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const { top, bottom } = this.#scroller.getBoundingClientRect();
    const seenIds: number[] = [];
    let heldId: number | undefined;
    this.#held = undefined;
    for (let index = this.#firstBelow(top); index < this.#rows.length; index += 1) {
      const row = this.#rows[index];
      const place = row?.getBoundingClientRect();
      if (row === undefined || place === undefined || place.top >= bottom) break;
      this.#held ??= { row, bottom: place.bottom, scrollTop };
      const id = row.dataset['messageId'];
      heldId ??= id === undefined ? undefined : Number(id);
      if (id !== undefined && place.bottom <= bottom + 1) seenIds.push(Number(id));
    }
    return { heldId, seenIds, isAtEnd: scrollHeight - scrollTop - clientHeight < endMarginPx };
  }

  /** Brings it back: after each change of the page. What the reader scrolled since it was held is kept. */
  restore(): void {
    if (this.#held?.row.isConnected !== true) return;
    const { row, bottom, scrollTop } = this.#held;
    const now = this.#scroller.scrollTop;
    const endsAt = this.#scroller.scrollHeight - this.#scroller.clientHeight;
    // Where the page became shorter the browser scrolled to its end, and not the reader.
    const scrolled = now < scrollTop && now >= endsAt - 1 ? 0 : now - scrollTop;
    this.#scroller.scrollTop += row.getBoundingClientRect().bottom - bottom + scrolled;
  }

  /** Shows a message, or the one after it, so far below the upper edge; otherwise a third of the height. */
  show(messageId: number, offset: number | undefined): HTMLElement | undefined {
    const row = [...this.#rows].find(({ dataset }) => Number(dataset['messageId']) >= messageId);
    if (row === undefined) return undefined;
    const { top, height } = this.#scroller.getBoundingClientRect();
    this.#scroller.scrollTop += row.getBoundingClientRect().top - top - (offset ?? height / 3);
    return row;
  }

  find(messageId: number): HTMLElement | undefined {
    return [...this.#rows].find(({ dataset }) => Number(dataset['messageId']) === messageId);
  }

  showEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /** The index of the first row that ends below a height; rows stand in their order, and asking where all are takes long. */
  #firstBelow(height: number): number {
    let [from, to] = [0, this.#rows.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const isAbove = (this.#rows[middle]?.getBoundingClientRect().bottom ?? Infinity) <= height;
      [from, to] = isAbove ? [middle + 1, to] : [from, middle];
    }
    return from;
  }
}
