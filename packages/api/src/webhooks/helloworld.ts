import { text } from '../declare/schema.ts';
import { record } from './payload-schema.ts';
import { declareJsonWebhook } from './webhook.ts';

/** The example of the contract (contract, Incoming webhook; reference facts, people 16.4). */
export const helloworldWebhook = declareJsonWebhook({
  name: 'helloworld',
  label: 'HelloWorld',
  description:
    'The example: announces a featured article. Send `featured_title` and `featured_url`.',
  example: { payload: { featured_title: 'Heron', featured_url: 'https://wiki.example/Heron' } },
  parameters: [],
  payload: record({ featured_title: text, featured_url: text }),
});
