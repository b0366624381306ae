/** Calls functions of npm `zulip-js`, which runs unchanged in a separate process. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';

type Report = {
  readonly id?: number;
  readonly answer?: JsonObject;
  readonly failure?: string;
  readonly loop?: number;
  readonly event?: JsonObject;
};

export class JsLibrary {
  readonly #process: ChildProcess;
  readonly #reports: Report[] = [];
  #orders = 0;

  constructor() {
    this.#process = fork(fileURLToPath(new URL('zulip-js-client.mjs', import.meta.url)), {
      // Everything that the library would read from files is passed as an argument; its own log does not matter.
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#process.on('message', (report) => this.#reports.push(report as Report));
  }

  /**
   * Creates a client of the library.
   *
   * @param options the library's options: `username`, `realm`, and `apiKey` or `password`
   */
  async connect(name: string, options: JsonObject): Promise<void> {
    const { failure } = await this.#order(name, 'connect', [options]);
    if (failure !== undefined) throw new Error(failure);
  }

  /**
   * Calls a function of a client, for example `users.me.pointer.update`.
   *
   * @returns the value of its promise
   * @throws Error with the reason if the promise is rejected
   */
  async call(name: string, path: string, ...parameters: readonly unknown[]): Promise<JsonObject> {
    const { answer, failure } = await this.#order(name, path, parameters);
    if (answer === undefined) throw new Error(failure ?? `${path} gave nothing`);
    return answer;
  }

  /** Starts the library's event loop. @returns the events of its callback, as they arrive */
  async follow(name: string, ...parameters: readonly unknown[]): Promise<() => JsonObject[]> {
    const { id } = await this.#order(name, 'callOnEachEvent', parameters);
    return () =>
      this.#reports.flatMap(({ loop, event }) =>
        loop === id && event !== undefined ? [event] : [],
      );
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }

  async #order(client: string, path: string, parameters: readonly unknown[]): Promise<Report> {
    const id = (this.#orders += 1);
    this.#process.send({ id, client, function: path, parameters });
    return waitUntil(`the library's ${path}`, () => this.#reports.find((one) => one.id === id), {});
  }
}
