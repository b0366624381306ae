import { request as sendRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { authorization } from './gateway-under-test.ts';
import type { GatewayUnderTest, TestUser } from './gateway-under-test.ts';

type Received = {
  readonly text: () => string;
  /** Resolves when the text satisfies a condition. */
  readonly until: (condition: (text: string) => boolean) => Promise<void>;
};

/** Collects the text that a connection or an answer brings. */
export function collect(from: IncomingMessage | Socket): Received {
  let text = '';
  from.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    text: () => text,
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition(text)) return;
          from.off('data', check);
          resolve();
        };
        from.on('data', check);
        check();
      }),
  };
}

type End = 'complete' | 'broken off';

export type EventStream = Received & {
  readonly answer: IncomingMessage;
  readonly end: () => End | undefined;
  readonly ended: Promise<End>;
  readonly close: () => void;
};

/** Opens a stream of events. */
export function openStream(
  gateway: GatewayUnderTest,
  user: TestUser,
  asking: {
    readonly query: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly method?: string;
  },
): Promise<EventStream> {
  const { query, headers = {}, method = 'GET' } = asking;
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      `${gateway.url}/api/v1/events/stream?${query}`,
      { headers: { ...authorization(user), ...headers }, agent: false, method },
      (answer) => {
        const received = collect(answer);
        const { promise: ended, resolve: setEnded } = Promise.withResolvers<End>();
        let end: End | undefined;
        answer.on('error', () => undefined);
        answer.on('close', () => {
          end = answer.complete ? 'complete' : 'broken off';
          setEnded(end);
        });
        resolve({ answer, ...received, end: () => end, ended, close: () => sent.destroy() });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
