import { ApiError, NoAnswerError, ParleyClient } from '@parley/client';
import { deadline, systemClock } from '@parley/clock';

import type { Command } from '../command.ts';
import { CommandFault, UsageFault } from '../faults.ts';
import { readSecretFile } from '../read-file.ts';

const deadlineMs = 30_000;
const defaultSite = 'http://127.0.0.1:9991';

type Probe = { readonly messageId: number; readonly sentMs: number; readonly receivedMs: number };

/** Sends a message to its own sender, and follows events until it is there. */
async function sendToSelf(client: ParleyClient, signal: AbortSignal): Promise<Probe> {
  const me = await client.request('GET /users/me', {}, { signal });
  let sending: Promise<number | undefined> | undefined;
  let [beganMs, sentMs] = [0, 0];
  for await (const event of client.events({ event_types: ['message'] }, { signal })) {
    if (event.type === 'registered') {
      beganMs = systemClock.elapsedMs();
      sending = client
        .request(
          'POST /messages',
          { type: 'private', to: JSON.stringify([me.user_id]), content: 'probe' },
          { signal },
        )
        .then(({ id }) => {
          sentMs = systemClock.elapsedMs() - beganMs;
          return id;
        });
    } else if (event.type === 'message' && event.message.id === (await sending)) {
      return { messageId: event.message.id, sentMs, receivedMs: systemClock.elapsedMs() - beganMs };
    }
  }
  throw new CommandFault(`The message did not come back within ${deadlineMs / 1_000} s`);
}

export const probeCommand: Command = {
  name: 'probe',
  summary: 'Send a message from an account to itself through a gateway, and wait for its event',
  details: [
    'Shows that an installation works from end to end: authentication, sending, the log, delivery. It needs only an account, such as',
    'a separate bot. Only that account gets the message. For monitoring, use JSON.',
  ].join('\n'),
  options: {
    site: {
      value: 'URL',
      help: `the address of the server (default PARLEY_PUBLIC_URL, otherwise ${defaultSite})`,
    },
    email: { value: 'EMAIL', help: 'the account', required: true },
    'key-file': {
      value: 'FILE',
      help: 'the file with its API key, - for standard input',
      required: true,
    },
  },
  run: async (call, { env, signal, readInput }) => {
    const site = call.find('site') ?? env['PARLEY_PUBLIC_URL'] ?? defaultSite;
    if (!URL.canParse(site)) throw new UsageFault('--site is no address');
    const apiKey = await readSecretFile(call.get('key-file'), readInput);
    const client = new ParleyClient({ site, email: call.get('email'), apiKey, repeatsMax: 1 });
    try {
      const { messageId, sentMs, receivedMs } = await sendToSelf(
        client,
        AbortSignal.any([signal, deadline(systemClock, deadlineMs)]),
      );
      return {
        text: `${site} works: message ${messageId} was acknowledged after ${sentMs.toFixed(1)} ms and received after ${receivedMs.toFixed(1)} ms.\n`,
        json: { site, message_id: messageId, sent_ms: sentMs, received_ms: receivedMs },
      };
    } catch (error) {
      if (error instanceof ApiError || error instanceof NoAnswerError)
        throw new CommandFault(`${site} does not work: ${error.message}`, { cause: error });
      throw error;
    }
  },
};
