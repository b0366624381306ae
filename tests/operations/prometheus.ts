/** A test's own Prometheus: on loopback, with its data in a folder that is removed with it. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findFreePort } from '@parley/launcher/local-stores';
import { waitUntil } from '@parley/test-kit';
import { stringify } from 'yaml';

import { prometheusFolder } from '../deploy/monitoring.ts';

const runFile = promisify(execFile);

export type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: string };
export type Rule = {
  readonly name: string;
  readonly type: 'alerting' | 'recording';
  readonly health: 'ok' | 'err' | 'unknown';
  readonly state?: 'firing' | 'pending' | 'inactive';
  readonly lastError?: string;
};

/**
 * Runs Prometheus' own tool on the files of `deploy/prometheus`.
 *
 * @throws Error with the tool's output if it reports a fault, or if it is not installed (Debian's package `prometheus`)
 */
export async function runPromtool(words: readonly string[]): Promise<string> {
  const { stdout } = await runFile('promtool', [...words], { cwd: prometheusFolder });
  return stdout;
}

export class Prometheus {
  readonly #process: ChildProcess;
  readonly #url: string;
  readonly #folder: string;

  /**
   * Starts it with the rules of `deploy/prometheus`, and scrapes every second.
   *
   * @param targets `host:port` of each process
   */
  static async start(targets: readonly string[]): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-prometheus-'));
    const port = await findFreePort();
    await writeFile(
      join(folder, 'prometheus.yaml'),
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: ['recording-rules.yaml', 'alerts.yaml'].map((file) =>
          join(prometheusFolder, file),
        ),
        scrape_configs: [{ job_name: 'parley', static_configs: [{ targets }] }],
      }),
    );
    const child = spawn(
      'prometheus',
      [
        `--config.file=${folder}/prometheus.yaml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const prometheus = new Prometheus(child, `http://127.0.0.1:${port}`, folder);
    await once(child, 'spawn');
    await waitUntil('Prometheus is ready', async () => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`);
      const answer = await fetch(`${prometheus.#url}/-/ready`).catch(() => undefined);
      return answer?.ok === true;
    });
    return prometheus;
  }

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.#process = child;
    this.#url = url;
    this.#folder = folder;
  }

  /** @throws Error with Prometheus' message if it cannot run a query */
  async query(query: string): Promise<readonly Sample[]> {
    const answer = await this.#read<{ result: { metric: Sample['metric']; value: [0, string] }[] }>(
      `query?${new URLSearchParams({ query }).toString()}`,
    );
    return answer.result.map(({ metric, value }) => ({ metric, value: value[1] }));
  }

  async rules(): Promise<readonly Rule[]> {
    const { groups } = await this.#read<{ groups: { rules: Rule[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGTERM');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #read<Data>(path: string): Promise<Data> {
    const answer = await fetch(`${this.#url}/api/v1/${path}`);
    const body = (await answer.json()) as { status: string; data: Data; error?: string };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  }
}
