/** Services that pass on what others say (reference facts, people 17.4). */
import { withoutCode } from '@parley/contracts';
import { text as textParameter } from '@parley/http';

import { quoteBlock } from './git-wording.ts';
import { checkNotBlank, formIntegration, jsonIntegration } from './integration.ts';
import type { WebhookMessage } from './integration.ts';
import { record, text } from './payload-schema.ts';

const written = { topic: text, subject: text, content: text } as const;

function writtenMessage(message: {
  readonly topic?: string;
  readonly subject?: string;
  readonly content?: string;
}): WebhookMessage {
  return {
    topic: checkNotBlank(message.topic ?? message.subject, 'Topic'),
    content: checkNotBlank(message.content, 'Content'),
  };
}

export const ifttt = jsonIntegration({
  name: 'ifttt',
  label: 'IFTTT',
  about: 'IFTTT, as a web request with the JSON body `{"topic": "…", "content": "…"}`.',
  example: { payload: { topic: 'door', content: 'The boathouse was opened' } },
  isWrittenForUs: true,
  payload: record({}, written),
  toMessages: (payload) => [writtenMessage(payload)],
});

export const zapier = jsonIntegration({
  name: 'zapier',
  label: 'Zapier',
  about: 'Zapier, with `topic` and `content`; `{"type": "auth"}` asks whose key it is.',
  example: { payload: { topic: 'bookings', content: 'The *Tern* is taken on Sunday' } },
  isWrittenForUs: true,
  tellsOfMalformedJson: false,
  payload: record({}, { type: text, ...written }),
  toMessages: (payload) => (payload.type === 'auth' ? 'account' : [writtenMessage(payload)]),
});

export const slack = formIntegration({
  name: 'slack',
  label: 'Slack',
  about:
    'An outgoing webhook of Slack. With `channels_map_to_topics=0` each channel goes to the stream of its name.',
  example: { parameters: { user_name: 'rina', text: 'The keel is on', channel_name: 'workshop' } },
  missingStream: 'refused',
  parameters: [
    textParameter('user_name', { required: true, description: 'Who wrote it' }),
    textParameter('text', { required: true, description: 'What was written' }),
    textParameter('channel_name', { required: true, description: 'Where it was written' }),
    textParameter('channels_map_to_topics', {
      default: '1',
      description: '`1`: a topic for each channel; `0`: the stream of its name',
    }),
  ],
  toMessages: ({ parameters, stream = 'slack' }) => {
    const { user_name: user, text: said, channel_name: channel } = parameters;
    const content = `**${user}**: \`${said}\``;
    switch (parameters.channels_map_to_topics) {
      case '1':
        return [{ stream, topic: `channel: ${channel}`, content }];
      case '0':
        return [{ stream: channel, topic: 'Message from Slack', content }];
      default:
        throw withoutCode('Error: channels_map_to_topics parameter other than 0 or 1');
    }
  },
});

export const heroku = formIntegration({
  name: 'heroku',
  label: 'Heroku',
  about: 'Heroku, as an HTTP post hook of deployments.',
  example: {
    parameters: {
      head: '3eb5f44',
      app: 'bookings',
      user: 'rina@harbour.example',
      url: 'https://bookings.example',
      git_log: '* Rina: Show the tides',
    },
  },
  parameters: [
    textParameter('head', { required: true, description: 'The version' }),
    textParameter('app', { required: true, description: 'The application' }),
    textParameter('user', { required: true, description: 'Who deployed it' }),
    textParameter('url', { required: true, description: 'Its address' }),
    textParameter('git_log', { required: true, description: 'What is new in it' }),
  ],
  toMessages: ({ parameters: { head, app, user, url, git_log: log } }) => [
    {
      topic: app,
      content: `${user} deployed version ${head} of [${app}](${url}):\n\n${quoteBlock(log)}`,
    },
  ],
});
