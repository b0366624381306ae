/** People, streams and files, and requests for files like those of clients. */
import { readFile } from 'node:fs/promises';
import { request as startRequest } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { processOf, readObjects } from '@parley/test-kit';
import type { JsonObject, ServiceNode, SystemOptions, TestAccount } from '@parley/test-kit';

import { FencedQueues } from './fenced-queues.ts';
import { startMessageFixture } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';

export type FileAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

type Person = 'ann' | 'bob' | 'cat' | 'guest' | 'bot';

export type NewFile = { readonly name: string; readonly content: string | Uint8Array };

export function basicOf(account: TestAccount): string {
  return `Basic ${Buffer.from(`${account.email}:${account.apiKey}`).toString('base64')}`;
}

function read(answer: IncomingMessage): Promise<FileAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('error', reject);
    answer.on('end', () =>
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        body: Buffer.concat(chunks),
      }),
    );
  });
}

/** @returns resident memory of a process, in bytes */
export async function residentBytes(running: ServiceNode): Promise<number> {
  const status = await readFile(`/proc/${processOf(running).pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

export class UploadFixture {
  readonly all: MessageFixture;
  readonly people: Readonly<Record<Person, TestAccount>>;
  readonly queues: FencedQueues<Person>;
  #turn = 0;

  private constructor(all: MessageFixture, queues: FencedQueues<Person>) {
    this.all = all;
    const { ann, bob, cat, guest, bot } = all;
    this.people = { ann, bob, cat, guest, bot };
    this.queues = queues;
  }

  /** Two replicas of messages share the files. */
  static async start(
    environment?: Readonly<Record<string, string>>,
    options: SystemOptions = {},
  ): Promise<UploadFixture> {
    const all = await startMessageFixture({
      events: 1,
      messages: 2,
      subscriptions: 1,
      people: 1,
      ...(environment !== undefined && { environment }),
      ...options,
    });
    const { ann, bob, cat, guest, bot, organization } = all;
    const everyone = { ann, bob, cat, guest, bot };
    await organization.makeStream('Denmark', [ann, bob]);
    await organization.makeStream('vault', [ann, bob], {
      inviteOnly: true,
      historyPublicToSubscribers: true,
    });
    await organization.makeStream('hidden', [ann, bob], {
      inviteOnly: true,
      historyPublicToSubscribers: false,
    });
    await organization.makeStream('fences', Object.values(everyone));
    const queues = await FencedQueues.open(everyone, ['attachment', 'update_message'], (content) =>
      ann.client.sendToStream('fences', 'fence', content),
    );
    return new UploadFixture(all, queues);
  }

  async stop(): Promise<void> {
    await this.all.stop();
  }

  get #url(): string {
    const urls = this.all.cluster.gatewayUrls;
    return urls[this.#turn++ % urls.length] ?? '';
  }

  /** Makes a request without a client's normalization: the path is sent unchanged. */
  begin(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    onAnswer: (answer: IncomingMessage) => void = () => undefined,
  ): ClientRequest {
    const url = new URL(this.#url);
    return startRequest(
      { host: url.hostname, port: url.port, method, path, headers, agent: false },
      onAnswer,
    );
  }

  /** Gets a path as somebody, or without credentials. */
  get(
    who: TestAccount | undefined,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<FileAnswer> {
    return new Promise((resolve, reject) => {
      const sent = this.begin(
        method,
        encodeURI(path).replaceAll('%25', '%'),
        { ...(who === undefined ? {} : { authorization: basicOf(who) }), ...headers },
        (answer) => {
          read(answer).then(resolve, reject);
        },
      );
      sent.on('error', reject);
      sent.end();
    });
  }

  /** @returns the status of an account's request for a file */
  async statusFor(who: TestAccount, path: string): Promise<number> {
    return (await this.get(who, path)).status;
  }

  /** Posts a form with these files. */
  async post(
    who: TestAccount,
    files: readonly NewFile[],
    query = '',
  ): Promise<{ readonly status: number; readonly body: JsonObject }> {
    const form = new FormData();
    for (const [index, { name, content }] of files.entries())
      form.append(`/tmp/part ${index}`, new Blob([new Uint8Array(Buffer.from(content))]), name);
    const response = await fetch(`${this.#url}/api/v1/user_uploads${query}`, {
      method: 'POST',
      headers: { authorization: basicOf(who) },
      body: form,
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  }

  /** @returns the uri of an uploaded file */
  async upload(
    who: TestAccount,
    name = 'a.txt',
    content: NewFile['content'] = 'hello',
    query = '',
  ): Promise<string> {
    const { status, body } = await this.post(who, [{ name, content }], query);
    if (status !== 200) throw new Error(`an upload was refused: ${JSON.stringify(body)}`);
    return body['uri'] as string;
  }

  async attachmentsOf(who: TestAccount): Promise<readonly JsonObject[]> {
    return readObjects(await who.client.get('attachments'), 'attachments');
  }

  async attachment(who: TestAccount, uri: string): Promise<JsonObject | undefined> {
    const all = await this.attachmentsOf(who);
    return all.find((attachment) => `/user_uploads/${String(attachment['path_id'])}` === uri);
  }
}
