/** A push service that checks who pushes (RFC 8292), and a subscriber that decrypts what comes (RFC 8291). */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import type { PushPayload } from '@parley/api/notification-rules';

import { makeCertificates, trustAuthority } from './certificates.ts';

export type ReceivedPush = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Of the key that signed it. */
  readonly publicKey: string;
};

/** A status, or one with headers. */
export type PushAnswer =
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> };

const publicKeyBytes = 65;

/** @throws Error unless the request is signed for this origin by the key that it names */
function checkSigned(authorization: string, origin: string): string {
  const [, token = '', publicKey = ''] =
    /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    aud: string;
    exp: number;
    sub: string;
  };
  const leftSecs = exp - Date.now() / 1_000;
  if (
    !isSigned ||
    aud !== origin ||
    leftSecs <= 0 ||
    leftSecs > 86_400 ||
    !/^(?:mailto|https):/.test(sub)
  )
    throw new Error(`not signed for ${origin}: ${claims}`);
  return publicKey;
}

export class PushService {
  readonly pushes: ReceivedPush[] = [];
  /** Of requests that were not signed rightly. */
  readonly faults: string[] = [];
  /** The answer to each request; may be replaced at any time. */
  answer: (path: string, body: Buffer) => Promise<PushAnswer> | PushAnswer = () => 201;
  /** The authority of its certificate, which processes have to trust. */
  readonly caFile: string;
  readonly #server: Server;
  readonly #folder: string;

  private constructor(server: Server, folder: string, caFile: string) {
    this.#server = server;
    this.#folder = folder;
    this.caFile = caFile;
  }

  static async start(): Promise<PushService> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-push-'));
    const files = await makeCertificates(folder, 'localhost');
    const [ca, cert, key] = await Promise.all(
      [files.caFile, files.certFile, files.keyFile].map((file) => readFile(file, 'utf8')),
    );
    trustAuthority(ca ?? '');
    const started = new PushService(createServer({ cert, key }), folder, files.caFile);
    started.#server.on('request', (request, response) => {
      void (async () => {
        const body = await buffer(request);
        const path = request.url ?? '';
        let [status, headers]: [number, Readonly<Record<string, string>>] = [400, {}];
        try {
          const publicKey = checkSigned(request.headers.authorization ?? '', started.origin);
          const answer = await started.answer(path, body);
          [status, headers] =
            typeof answer === 'number' ? [answer, {}] : [answer.status, answer.headers];
          if (status < 300)
            started.pushes.push({ path, headers: request.headers, body, publicKey });
        } catch (error) {
          started.faults.push(String(error));
        }
        response.writeHead(status, headers).end();
      })();
    });
    const listening = Promise.withResolvers<void>();
    started.#server.listen(0, '127.0.0.1', listening.resolve);
    await listening.promise;
    return started;
  }

  get origin(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
    await rm(this.#folder, { recursive: true });
  }
}

/** A browser's subscription, with its private key. */
export class PushSubscriber {
  readonly #keys = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly #service: PushService;
  readonly path = `/send/${randomBytes(8).toString('hex')}`;

  constructor(service: PushService) {
    this.#service = service;
    this.#keys.generateKeys();
  }

  /** The parameters of `POST push_subscriptions`. */
  get target(): { readonly endpoint: string; readonly p256dh: string; readonly auth: string } {
    return {
      endpoint: `${this.#service.origin}${this.path}`,
      p256dh: this.#keys.getPublicKey('base64url'),
      auth: this.#auth.toString('base64url'),
    };
  }

  /** What came, decrypted. */
  get payloads(): PushPayload[] {
    return this.#service.pushes
      .filter(({ path }) => path === this.path)
      .map(({ body }) => this.#decrypt(body));
  }

  /** RFC 8188 with the keys of RFC 8291, 3.4. */
  #decrypt(body: Buffer): PushPayload {
    const salt = body.subarray(0, 16);
    const sender = body.subarray(21, 21 + publicKeyBytes);
    const sealed = body.subarray(21 + publicKeyBytes);
    const derive = (secret: Buffer, by: Buffer, info: Buffer | string, length: number): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, by, info, length));
    const about = Buffer.concat([
      Buffer.from('WebPush: info\0'),
      this.#keys.getPublicKey(),
      sender,
    ]);
    const secret = derive(this.#keys.computeSecret(sender), this.#auth, about, 32);
    const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
    const opened = createDecipheriv('aes-128-gcm', key, nonce);
    opened.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([opened.update(sealed.subarray(0, -16)), opened.final()]);
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString()) as PushPayload;
  }
}
