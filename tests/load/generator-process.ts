import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { ClientOutcome, ClientPlan } from './fleet/clients.ts';

type Reply<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: string };

/**
 * A load generator in a separate process, so that its work does not slow down the measuring process. Its program calls
 * {@link serveGenerator}. It executes one command at a time.
 */
export class GeneratorProcess<Command extends object, Result> {
  readonly #child: ChildProcess;
  readonly #program: string;

  /** @param program its module, in the folder `fleet` */
  constructor(program: string) {
    this.#program = program;
    const path = fileURLToPath(new URL(`fleet/${program}`, import.meta.url));
    this.#child = fork(path, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Clients that make requests. */
  static ofClients(): GeneratorProcess<ClientPlan, ClientOutcome> {
    return new GeneratorProcess('client-process.ts');
  }

  get pids(): readonly number[] {
    return [this.#child.pid ?? 0];
  }

  /** @throws Error that the process threw, or if the process ends instead of answering */
  ask(command: Command): Promise<Result> {
    return new Promise((resolve, reject) => {
      const onEnd = (): void => reject(new Error(`${this.#program} ended`));
      this.#child.once('exit', onEnd);
      this.#child.once('message', (reply: Reply<Result>) => {
        this.#child.off('exit', onEnd);
        if (reply.ok) resolve(reply.result);
        else reject(new Error(reply.error));
      });
      this.#child.send(command);
    });
  }

  /** Ends it at once, with its connections. */
  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/**
 * Makes this process execute its parent's commands until the parent is gone.
 *
 * @param handle executes the commands, whose types the parent's `GeneratorProcess` declares
 */
export function serveGenerator(handle: (command: never) => Promise<unknown>): void {
  const reply = (to: Reply<unknown>): void => {
    process.send?.(to);
  };
  process.on('disconnect', () => process.exit(0));
  process.on('message', (command) => {
    handle(command as never).then(
      (result) => reply({ ok: true, result }),
      (error: unknown) => reply({ ok: false, error: String(error) }),
    );
  });
}
