/** Runs samples like a reader: commands as separate processes, modules in Node. */
import { fork, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { Language } from '@parley/api/samples';
import { testRunEnvironment } from '@parley/launcher/local-stores';

export type SampleRun = {
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
  /** For a sample without an end: the output to wait for before it is stopped. */
  readonly endedAfter?: RegExp;
};

const deadlineMs = 60_000;

/** A folder like a reader's, with a picture and the installed client; samples save files there. */
export class SampleFolder {
  readonly path: string;
  #host: ChildProcess | undefined;
  #count = 0;

  static async make(picture: Uint8Array): Promise<SampleFolder> {
    const path = await mkdtemp(join(tmpdir(), 'parley-samples-'));
    await writeFile(join(path, 'heron.png'), picture);
    await mkdir(join(path, 'node_modules', '@parley'), { recursive: true });
    await symlink(
      fileURLToPath(new URL('../../../packages/client', import.meta.url)),
      join(path, 'node_modules', '@parley', 'client'),
    );
    return new SampleFolder(path);
  }

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * @returns the sample's standard output
   * @throws Error if it fails, or does not end in time
   */
  run(label: Language['label'], sample: SampleRun): Promise<string> {
    switch (label) {
      case 'curl':
        return this.#runCommand('sh', sample);
      case 'Python':
        return this.#runCommand('python3', sample);
      case 'JavaScript':
        return this.#runModule(sample);
    }
  }

  async remove(): Promise<void> {
    this.#host?.kill('SIGKILL');
    await rm(this.path, { recursive: true, force: true });
  }

  #runCommand(command: string, { source, environment, endedAfter }: SampleRun): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, ['-c', source], {
        cwd: this.path,
        // A separate process group, so that a shell ends together with its children.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], ...testRunEnvironment(), ...environment },
      });
      let output = '';
      let complaints = '';
      let isEnded = false;
      const end = (): void => {
        if (isEnded || child.pid === undefined) return;
        isEnded = true;
        process.kill(-child.pid, 'SIGTERM');
      };
      const deadline = setTimeout(end, deadlineMs);
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (endedAfter?.test(output) === true) end();
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        complaints += text;
      });
      child.once('error', (cause) => {
        clearTimeout(deadline);
        reject(new Error(`${command} is not installed`, { cause }));
      });
      child.once('close', (code) => {
        clearTimeout(deadline);
        const isDone =
          endedAfter === undefined ? code === 0 && complaints === '' : endedAfter.test(output);
        if (isDone) resolve(output);
        else reject(new Error(`ended with ${code}:\n${complaints}${output}\n\n${source}`));
      });
    });
  }

  /** All modules in one process: the start of Node takes longer than most calls. */
  async #runModule({ source, environment, endedAfter }: SampleRun): Promise<string> {
    const file = join(this.path, `sample-${(this.#count += 1)}.mjs`);
    await writeFile(file, source);
    const host = (this.#host ??= fork(new URL('module-host.mjs', import.meta.url), {
      cwd: this.path,
      env: { PATH: process.env['PATH'] },
      execArgv: [],
    }));
    return new Promise((resolve, reject) => {
      let output = '';
      const settle = (fault: string | undefined): void => {
        clearTimeout(deadline);
        host.removeAllListeners();
        if (fault === undefined) resolve(output);
        else reject(new Error(`${fault}\n${output}\n\n${source}`));
      };
      const giveUp = (fault: string | undefined): void => {
        this.#host = undefined;
        host.kill('SIGKILL');
        settle(fault);
      };
      const deadline = setTimeout(() => giveUp('did not end in time'), deadlineMs);
      host.on('exit', (code) => giveUp(`Node ended with ${code}`));
      host.on('message', (said: { output?: string; isDone?: true; fault?: string }) => {
        output += said.output ?? '';
        if (endedAfter?.test(output) === true) giveUp(undefined);
        else if (said.isDone === true) settle(said.fault);
      });
      host.send({ file: pathToFileURL(file).href, environment });
    });
  }
}
