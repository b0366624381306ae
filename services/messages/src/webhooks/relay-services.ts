/** Services that forward what others write (reference facts, people 17.4). */
import { writeLink } from '@parley/markdown';
import { withoutCode } from '@parley/api';
import { herokuWebhook, iftttWebhook, slackWebhook, zapierWebhook } from '@parley/api/webhooks';

import { quoteBlock } from './git-wording.ts';
import { checkNotBlank, readForm, readJson } from './integration.ts';
import type { WebhookMessage } from './integration.ts';

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

export const ifttt = readJson(iftttWebhook, (payload) => [writtenMessage(payload)], {
  keepsMentions: true,
});

export const zapier = readJson(
  zapierWebhook,
  (payload) => (payload.type === 'auth' ? 'account' : [writtenMessage(payload)]),
  { keepsMentions: true, reportsMalformedJson: false },
);

export const slack = readForm(slackWebhook, ({ parameters, stream = 'slack' }) => {
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
});

export const heroku = readForm(
  herokuWebhook,
  ({ parameters: { head, app, user, url, git_log: log } }) => [
    {
      topic: app,
      content: `${user} deployed version ${head} of ${writeLink(app, url)}:\n\n${quoteBlock(log)}`,
    },
  ],
);
