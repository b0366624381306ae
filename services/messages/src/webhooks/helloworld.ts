import { jsonIntegration } from './integration.ts';
import { record, text } from './payload-schema.ts';

/** The example of the contract (contract, Incoming webhook; reference facts, people 16.4). */
export const helloworld = jsonIntegration({
  name: 'helloworld',
  label: 'HelloWorld',
  about: 'The example: announces a featured article. Send `featured_title` and `featured_url`.',
  example: { payload: { featured_title: 'Heron', featured_url: 'https://wiki.example/Heron' } },
  payload: record({ featured_title: text, featured_url: text }),
  toMessages: ({ featured_title: title, featured_url: url }) => [
    {
      topic: 'Hello World',
      content: `Hello! I am happy to be here! :smile:\nThe Wikipedia featured article for today is **[${title}](${url})**`,
    },
  ],
});
