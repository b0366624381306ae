/** A process of clients, started by `Requesters`, that each send their next request as soon as they have their answer. */
import { serveGenerator } from '../generator-process.ts';
import { Latencies } from '../latencies.ts';
import type { AskOutcome, AskPlan } from './asking.ts';
import { HttpConnection } from './http-connection.ts';
import { isWithin, nowMs } from './protocol.ts';

/** One in this many compressed answers is decompressed and checked. */
const compressedPerLook = 50;

async function ask(plan: AskPlan): Promise<AskOutcome> {
  const latencies = new Latencies();
  let answered = 0;
  let answeredInWindow = 0;
  let bytes = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: plan.connections }, async () => {
      const connection = new HttpConnection(plan.url);
      for (let startedAtMs = nowMs(); startedAtMs < plan.endAtMs;) {
        const request = plan.requests[next++ % plan.requests.length] ?? '';
        const answer = await connection.request(request);
        const { status, bodyBytes } = answer;
        const atMs = nowMs();
        // Clients decompress with their own processor; here that would take time from the server.
        const isLookedInto = !answer.isCompressed || answered % compressedPerLook === 0;
        if (status !== 200 || (isLookedInto && !answer.body.includes(plan.expected)))
          throw new Error(`${request.split('\r\n')[0]}: ${status} ${answer.body.slice(0, 300)}`);
        answered += 1;
        bytes += bodyBytes;
        if (isWithin(plan.window, atMs)) answeredInWindow += 1;
        if (isWithin(plan.window, startedAtMs)) latencies.record(atMs - startedAtMs);
        startedAtMs = atMs;
      }
      connection.abort();
    }),
  );
  return { answered, answeredInWindow, bodyBytes: bytes, latencies: latencies.encode() };
}

serveGenerator(ask);
