import { declareEndpoint } from '../declare/endpoint.ts';
import { jsonParameter, textListParameter } from '../declare/parameters.ts';
import { described, object, texts } from '../declare/schema.ts';
import { limits } from '../limits.ts';

const path = '/users/me/alert_words';
const words = object({
  alert_words: described(texts, 'all alert words, in the order in which they were added'),
});

/** GET users/me/alert_words (reference facts, events 15.4). */
export const listAlertWordsEndpoint = declareEndpoint({
  name: 'list-alert-words',
  method: 'GET',
  path,
  service: 'messages',
  tag: 'Messages',
  summary: "List the caller's alert words",
  access: { authentication: 'required' },
  parameters: [],
  success: words,
});

/** POST users/me/alert_words (reference facts, events 15.4). */
export const addAlertWordsEndpoint = declareEndpoint({
  name: 'add-alert-words',
  method: 'POST',
  path,
  service: 'messages',
  tag: 'Messages',
  summary: 'Add alert words',
  description:
    'Messages that contain one of them are flagged `has_alert_word` for the caller. Words are trimmed; blank and existing ones are ignored.',
  example: { parameters: { alert_words: ['Heron', 'new keel'] } },
  access: { authentication: 'required' },
  afterLoss: 'repeat',
  parameters: [
    jsonParameter(
      'alert_words',
      { ...texts, maxItems: limits.alertWordsMax },
      {
        required: true,
        description: `Words or phrases of at most ${limits.alertWordMaxCodePoints} characters`,
      },
    ),
  ],
  success: words,
});

/** DELETE users/me/alert_words (reference facts, events 15.4). */
export const removeAlertWordsEndpoint = declareEndpoint({
  name: 'remove-alert-words',
  method: 'DELETE',
  path,
  service: 'messages',
  tag: 'Messages',
  summary: 'Remove alert words',
  description: 'Only exact matches are removed; others are ignored.',
  example: { parameters: { alert_words: ['new keel'] } },
  access: { authentication: 'required' },
  afterLoss: 'repeat',
  parameters: [
    textListParameter('alert_words', { required: true, description: 'The words to remove' }),
  ],
  success: words,
});
