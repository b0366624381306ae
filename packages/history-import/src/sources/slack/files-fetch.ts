/**
 * Fetches files from Slack's hosts, with a token that only its host for files gets. Whatever the other side does, a file is there as it was
 * recorded, or it stays a link for a reason that can be shown to everybody.
 */
import { createReadStream } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

import { pause } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { fetchFile } from '@parley/outgoing';
import type { AddressRules, FetchedFile, FindAddresses } from '@parley/outgoing';

import { makeSpoolFolder } from '../../archive/make-spool-folder.ts';
import type { ArchiveFile } from '../../records.ts';

/** The hosts of each kind of file. */
export const slackHosts = {
  files: ['files.slack.com'],
  avatars: ['avatars.slack-edge.com', 'ca.slack-edge.com'],
  emoji: ['emoji.slack-edge.com'],
} as const;

const tokenHost = slackHosts.files[0];

export const fetchBounds = {
  /** As large as files of Slack can be. */
  fileMaxBytes: 1024 ** 3,
  allMaxBytes: 1024 ** 4,
  headTimeoutMs: 30_000,
  fileTimeoutMs: 15 * 60_000,
  allTimeoutMs: 24 * 3_600_000,
  triesMax: 5,
  /** Before the second try, and doubled before each further one. */
  pauseMs: 1_000,
  /** A longer wait than Slack ever asks for. */
  pauseMaxMs: 120_000,
  /** Left free on the disk. */
  spareBytes: 256 * 1024 * 1024,
} as const;

const fetchesAtOnce = 4;

export type SlackFetching = {
  readonly clock: Clock;
  readonly token: string;
  readonly rules: AddressRules;
  readonly findAddresses: FindAddresses;
  /** Where the hosts listen, if not at the usual port. */
  readonly port?: number;
  /** In which files are kept until they are stored; made and removed with the fetcher. */
  readonly spoolFolder: string;
  readonly bounds?: Partial<Record<keyof typeof fetchBounds, number>>;
  readonly step: (
    label: string,
    total: number,
  ) => { readonly advance: (by: number) => void; readonly finish: () => void };
  readonly signal: AbortSignal;
};

export type WantedFile = {
  /** Undefined while it is to be fetched; a text says why it is not there. */
  outcome: ArchiveFile | string | undefined;
  readonly address: string;
  /** As recorded. */
  readonly sizeBytes: number | undefined;
  /** As recorded; empty if unknown. */
  readonly contentType: string;
};

/** @returns whether an address is one of https at the usual port of these hosts, without an account in it */
export function isOnHosts(address: string, hosts: readonly string[]): boolean {
  const url = URL.parse(address);
  return (
    url?.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    hosts.includes(url.hostname)
  );
}

/** The result of one try: the outcome, or how long to wait before the next one. */
type Try = { readonly outcome: ArchiveFile | string } | { readonly waitMs: number | undefined };

const unavailable: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

function waitOf(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : undefined;
}

export class SlackFetcher {
  readonly #fetching: SlackFetching;
  readonly #bounds: Readonly<Record<keyof typeof fetchBounds, number>>;
  readonly #folder: string;
  readonly #endsAt: number;
  #files = 0;
  #bytes = 0;
  /** When Slack takes requests again. */
  #pausedUntil = 0;

  private constructor(fetching: SlackFetching) {
    this.#fetching = fetching;
    this.#bounds = { ...fetchBounds, ...fetching.bounds };
    this.#folder = fetching.spoolFolder;
    this.#endsAt = fetching.clock.elapsedMs() + this.#bounds.allTimeoutMs;
  }

  static async open(fetching: SlackFetching): Promise<SlackFetcher> {
    await makeSpoolFolder(fetching.spoolFolder);
    return new SlackFetcher(fetching);
  }

  /**
   * Gives each file that has no outcome yet one: the file, or why it could not be fetched.
   *
   * @throws the signal's reason if the import ends
   */
  async fetch(
    label: string,
    hosts: readonly string[],
    files: readonly WantedFile[],
  ): Promise<void> {
    const waiting = files.filter(({ outcome }) => outcome === undefined);
    const bar = this.#fetching.step(label, waiting.length);
    const work = async (): Promise<void> => {
      for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        file.outcome = await this.#fetchOne(file, hosts);
        bar.advance(1);
      }
    };
    try {
      const ended = await Promise.allSettled(Array.from({ length: fetchesAtOnce }, work));
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
    } finally {
      bar.finish();
    }
  }

  async #fetchOne(file: WantedFile, hosts: readonly string[]): Promise<ArchiveFile | string> {
    const { clock } = this.#fetching;
    const { triesMax, pauseMs, pauseMaxMs } = this.#bounds;
    if (!isOnHosts(file.address, hosts)) return 'it is not on a host of Slack';
    if (file.sizeBytes === 0) return 'it is empty';
    let reason = '';
    for (let nth = 0; nth < triesMax; nth += 1) {
      await this.#pause();
      if (clock.elapsedMs() >= this.#endsAt) return 'the time for files was up';
      const tried = await this.#try(file);
      if ('outcome' in tried) return tried.outcome;
      const waitMs = tried.waitMs ?? pauseMs * 2 ** nth;
      if (waitMs > pauseMaxMs) return 'Slack asked to wait for too long';
      this.#pausedUntil = Math.max(this.#pausedUntil, clock.elapsedMs() + waitMs);
      reason = 'Slack could not be reached or had too much to do';
    }
    return reason;
  }

  /** All wait while one has been told to. */
  async #pause(): Promise<void> {
    const { clock, signal } = this.#fetching;
    for (;;) {
      signal.throwIfAborted();
      const waitMs = this.#pausedUntil - clock.elapsedMs();
      if (waitMs <= 0) return;
      await pause(clock, waitMs, signal);
    }
  }

  async #try(file: WantedFile): Promise<Try> {
    const { clock, token, rules, findAddresses, port, signal } = this.#fetching;
    const { allMaxBytes, spareBytes, headTimeoutMs, fileTimeoutMs } = this.#bounds;
    const { bavail, bsize } = await statfs(this.#folder);
    const leftBytes = Math.min(allMaxBytes - this.#bytes, bavail * bsize - spareBytes);
    const bytesMax = Math.min(this.#bounds.fileMaxBytes, leftBytes);
    if (bytesMax < (file.sizeBytes ?? 0)) return { outcome: 'there is no space left for it' };
    const url = new URL(file.address);
    // What follows may be a key that opens all files.
    url.search = '';
    url.hash = '';
    this.#files += 1;
    const path = join(this.#folder, String(this.#files));
    const fetched = await fetchFile(
      {
        url,
        ...(port !== undefined && { port }),
        headers: url.hostname === tokenHost ? { authorization: `Bearer ${token}` } : {},
        path,
      },
      {
        clock,
        rules,
        findAddresses,
        timeoutMs: headTimeoutMs,
        wholeTimeoutMs: Math.min(fileTimeoutMs, Math.max(1, this.#endsAt - clock.elapsedMs())),
        bytesMax,
      },
      signal,
    );
    return this.#judge(fetched, file, path);
  }

  async #judge(fetched: FetchedFile, file: WantedFile, path: string): Promise<Try> {
    switch (fetched.kind) {
      case 'file': {
        const fault = faultOf(fetched, file);
        if (fault === undefined) {
          const { bytes } = fetched;
          this.#bytes += bytes;
          return {
            outcome: { sizeBytes: bytes, open: () => Promise.resolve(createReadStream(path)) },
          };
        }
        await rm(path);
        return { outcome: fault };
      }
      case 'refused':
        return unavailable.has(fetched.status)
          ? { waitMs: waitOf(fetched.retryAfter) }
          : { outcome: `Slack answered with status ${fetched.status}` };
      case 'timeout':
      case 'connection':
        return { waitMs: undefined };
      case 'called-off':
        this.#fetching.signal.throwIfAborted();
        return { waitMs: undefined };
      case 'fault':
        // The text of a fault may hold what the other side sent.
        return { outcome: `it cannot be fetched (${fetched.type})` };
    }
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** @returns why an answer is not the file that was recorded */
function faultOf(
  { contentType, bytes }: { readonly contentType: string; readonly bytes: number },
  file: WantedFile,
): string | undefined {
  const isPage = /^\s*text\/html\b/i.test(contentType);
  if (isPage && !file.contentType.startsWith('text/html'))
    return 'Slack answered with a page, as it does when the token does not open the file';
  if (bytes === 0) return 'it is empty';
  return file.sizeBytes !== undefined && file.sizeBytes !== bytes
    ? 'it has another size than the archive says'
    : undefined;
}
