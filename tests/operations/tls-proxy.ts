/** nginx with the example site of `deploy/proxy/nginx.conf` in front of gateways, on free ports and with a test certificate. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request as sendRequest } from 'node:https';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findFreePort } from '@parley/launcher/local-stores';
import { waitUntil } from '@parley/test-kit';

const run = promisify(execFile);
const site = new URL('../../deploy/proxy/nginx.conf', import.meta.url);
export const siteName = 'chat.example';

/** Replaces a text that operators replace, and fails if the example does not contain it. */
function replaceIn(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`deploy/proxy/nginx.conf has no ${from}`);
  return text.replaceAll(from, to);
}

export type SecureRequest = {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
};

export type SecureAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};

export class TlsProxy {
  readonly port: number;
  readonly clearPort: number;
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #agent: Agent;

  /**
   * @param gatewayPort the port of the gateway in the site
   * @throws Error if nginx or openssl is not installed, or nginx refuses the site
   */
  static async start(gatewayPort: number): Promise<TlsProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-proxy-'));
    const [port, clearPort] = [await findFreePort(), await findFreePort()];
    const [key, certificate] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')];
    const words =
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=${siteName} ` +
      `-addext subjectAltName=DNS:${siteName} -keyout ${key} -out ${certificate}`;
    await run('openssl', words.split(' '));
    const changes: readonly (readonly [from: string, to: string])[] = [
      ['127.0.0.1:9991', `127.0.0.1:${gatewayPort}`],
      ['listen 80;', `listen 127.0.0.1:${clearPort};`],
      ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
      ['/etc/ssl/parley/privkey.pem', key],
      ['/etc/ssl/parley/fullchain.pem', certificate],
    ];
    const text = changes.reduce(
      (changed, [from, to]) => replaceIn(changed, from, to),
      await readFile(site, 'utf8'),
    );
    await writeFile(join(folder, 'site.conf'), text);
    await writeFile(
      join(folder, 'nginx.conf'),
      `worker_processes 1;\npid ${folder}/nginx.pid;\nerror_log ${folder}/error.log;\n` +
        `events {}\nhttp {\naccess_log off;\nclient_body_temp_path ${folder};\nproxy_temp_path ${folder};\n` +
        `fastcgi_temp_path ${folder};\nuwsgi_temp_path ${folder};\nscgi_temp_path ${folder};\ninclude site.conf;\n}\n`,
    );
    const nginxWords = ['-p', folder, '-c', 'nginx.conf', '-e', `${folder}/error.log`];
    await run('nginx', ['-t', ...nginxWords]);
    const nginx = spawn('nginx', [...nginxWords, '-g', 'daemon off;'], { stdio: 'ignore' });
    const ca = await readFile(certificate, 'utf8');
    const proxy = new TlsProxy({ port, clearPort, nginx, folder, ca });
    await waitUntil('nginx answers', () =>
      proxy.send('/').then(
        () => true,
        () => false,
      ),
    );
    return proxy;
  }

  private constructor(started: {
    readonly port: number;
    readonly clearPort: number;
    readonly nginx: ChildProcess;
    readonly folder: string;
    readonly ca: string;
  }) {
    this.port = started.port;
    this.clearPort = started.clearPort;
    this.#process = started.nginx;
    this.#folder = started.folder;
    this.#agent = new Agent({ keepAlive: true, ca: started.ca });
  }

  /** Sends a request by TLS; resolves when the answer's headers have arrived. */
  open(path: string, request: SecureRequest = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = sendRequest(
        {
          host: '127.0.0.1',
          port: this.port,
          servername: siteName,
          agent: this.#agent,
          path,
          method: request.method ?? 'GET',
          headers: { host: siteName, ...request.headers },
        },
        resolve,
      );
      sent.on('error', reject);
      sent.end(request.body);
    });
  }

  async send(path: string, request: SecureRequest = {}): Promise<SecureAnswer> {
    const answer = await this.open(path, request);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      text: Buffer.concat(chunks).toString(),
    };
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGTERM');
      await once(this.#process, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
