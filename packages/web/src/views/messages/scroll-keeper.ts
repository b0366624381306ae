/**
 * Keeps what a reader sees in its place while messages are added, taken away or change their height (pictures that load). The one who is at the
 * end stays there.
 */
const endMarginPx = 60;

export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  #held: { readonly row: HTMLElement; readonly top: number } | undefined;
  isAtEnd = true;

  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
  }

  /** Remembers what the reader sees: after each scroll. */
  hold(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < endMarginPx;
    const { top } = this.#scroller.getBoundingClientRect();
    const row = this.rows().find((each) => each.getBoundingClientRect().bottom > top);
    this.#held = row === undefined ? undefined : { row, top: row.getBoundingClientRect().top };
  }

  /**
   * Brings it back: after each change of the page.
   *
   * @param followsEnd whether what is shown ends with the newest message
   */
  restore(followsEnd: boolean): void {
    if (this.isAtEnd && followsEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    else if (this.#held?.row.isConnected === true) {
      const moved = this.#held.row.getBoundingClientRect().top - this.#held.top;
      if (moved !== 0) this.#scroller.scrollTop += moved;
    }
  }

  /** Shows a message, a third of the height from above. */
  show(messageId: number): HTMLElement | undefined {
    const row = this.rows().find(({ dataset }) => Number(dataset['messageId']) >= messageId);
    if (row === undefined) return undefined;
    const { top, height } = this.#scroller.getBoundingClientRect();
    this.#scroller.scrollTop += row.getBoundingClientRect().top - top - height / 3;
    this.hold();
    return row;
  }

  showEnd(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.hold();
  }

  rows(): readonly HTMLElement[] {
    return [...this.#scroller.querySelectorAll<HTMLElement>('[data-message-id]')];
  }

  /** Ids of the messages whose end is in sight. */
  seenIds(): readonly number[] {
    const { top, bottom } = this.#scroller.getBoundingClientRect();
    return this.rows()
      .filter((row) => {
        const rectangle = row.getBoundingClientRect();
        return rectangle.bottom > top && rectangle.bottom <= bottom + 1;
      })
      .map(({ dataset }) => Number(dataset['messageId']));
  }
}
