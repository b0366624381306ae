/** Services that forward what others write (reference facts, people 17.4). */
import { textParameter } from '../declare/parameters.ts';
import { optional, text } from '../declare/schema.ts';
import { record } from './payload-schema.ts';
import { declareFormWebhook, declareJsonWebhook } from './webhook.ts';

const written = optional({ topic: text, subject: text, content: text });

export const iftttWebhook = declareJsonWebhook({
  name: 'ifttt',
  label: 'IFTTT',
  description: 'IFTTT, as a web request with the JSON body `{"topic": "…", "content": "…"}`.',
  example: { payload: { topic: 'door', content: 'The boathouse was opened' } },
  parameters: [],
  payload: record(written),
});

export const zapierWebhook = declareJsonWebhook({
  name: 'zapier',
  label: 'Zapier',
  description:
    'Zapier, with `topic` and `content`; `{"type": "auth"}` asks for the account of the key.',
  example: { payload: { topic: 'bookings', content: 'The *Tern* is taken on Sunday' } },
  parameters: [],
  payload: record({ ...optional({ type: text }), ...written }),
});

export const slackWebhook = declareFormWebhook({
  name: 'slack',
  label: 'Slack',
  description:
    'An outgoing webhook of Slack. With `channels_map_to_topics=0` each channel goes to the stream with its name.',
  example: { parameters: { user_name: 'rina', text: 'The keel is on', channel_name: 'workshop' } },
  missingStream: 'refused',
  parameters: [
    textParameter('user_name', { required: true, description: 'Who wrote it' }),
    textParameter('text', { required: true, description: 'What was written' }),
    textParameter('channel_name', { required: true, description: 'Where it was written' }),
    textParameter('channels_map_to_topics', {
      default: '1',
      description: '`1`: a topic for each channel; `0`: the stream with its name',
    }),
  ],
});

export const herokuWebhook = declareFormWebhook({
  name: 'heroku',
  label: 'Heroku',
  description: 'Heroku, as an HTTP post hook of deployments.',
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
    textParameter('git_log', { required: true, description: 'The changes in it' }),
  ],
});
