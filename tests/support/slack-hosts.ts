/** The hosts on which Slack keeps files, as one server with a certificate for all of their names and for one that is not theirs. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeCertificates, trustAuthority } from './certificates.ts';

export const foreignHost = 'files.slack.example';

const names = [
  'files.slack.com',
  'avatars.slack-edge.com',
  'emoji.slack-edge.com',
  foreignHost,
] as const;

export type SlackRequest = {
  readonly host: string;
  /** With what follows `?`. */
  readonly path: string;
  readonly authorization: string | undefined;
};

export class SlackHosts {
  readonly requests: SlackRequest[] = [];
  /** Answers to requests by their paths; others are not found. */
  answers: Readonly<Record<string, (response: ServerResponse, nth: number) => void>> = {};
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async start(): Promise<SlackHosts> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-slack-hosts-'));
    const files = await makeCertificates(folder, ...names);
    const [ca = '', cert, key] = await Promise.all(
      [files.caFile, files.certFile, files.keyFile].map((file) => readFile(file, 'utf8')),
    );
    await rm(folder, { recursive: true });
    trustAuthority(ca);
    const hosts = new SlackHosts(createServer({ cert, key }));
    hosts.#server.listen(0, '127.0.0.1');
    await once(hosts.#server, 'listening');
    return hosts;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const { host = '', authorization } = headers;
    const nth = this.requests.filter(({ path }) => path === url).length;
    this.requests.push({ host: host.replace(/:\d+$/, ''), path: url, authorization });
    const answer = this.answers[url];
    if (answer === undefined) response.writeHead(404).end('not here');
    else answer(response, nth);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
