import type { ServerResponse } from 'node:http';

/** Requests that have arrived and are not over. Held polls do not count, because they wait for something to happen. */
export class OpenRequests {
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Counts a request until its handling and its answer have ended. */
  add(handling: Promise<void>, response: ServerResponse): void {
    this.#begin(handling);
    this.#count += 1;
    response.once('close', this.#end);
  }

  /** Counts a poll until it is held or refused. */
  addPoll(handling: Promise<void>): void {
    this.#begin(handling);
  }

  /** Counts an added request no more, because it has become a held poll. */
  hold(response: ServerResponse): void {
    if (response.destroyed) return;
    response.off('close', this.#end);
    this.#end();
  }

  #begin(handling: Promise<void>): void {
    this.#count += 1;
    void handling.then(this.#end);
  }

  readonly #end = (): void => {
    this.#count -= 1;
  };
}
