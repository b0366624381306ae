import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

type Reply<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: string };

/**
 * A generator of load in a process of its own, so that its work does not slow down the run that measures it: its program calls
 * {@link serveGenerator}. It does one command at a time.
 */
export class GeneratorProcess<Command extends object, Result> {
  readonly #child: ChildProcess;
  readonly #program: string;

  /** @param program the path of its module */
  constructor(program: string) {
    this.#program = program;
    this.#child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** @throws Error with what the process threw, or when it ends instead of answering */
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

  [Symbol.dispose](): void {
    this.stop();
  }
}

/**
 * Makes this process one that does what its parent asks, until the parent is gone.
 *
 * @param handle takes the commands that the parent's `GeneratorProcess` is declared with
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
