/** The page about webhooks: incoming ones from their declarations, then outgoing ones. */
import { webhooks } from '@parley/api/webhooks';
import type { Webhook } from '@parley/api/webhooks';

import { deliveryHeader } from '../../services/messages/src/outgoing/outgoing-webhooks.ts';

function addressOf({ name }: Webhook): string {
  return `https://chat.example.com/api/v1/external/${name}?api_key=KEY&stream=STREAM`;
}

function eventsText({ eventHeader, events }: Webhook): string[] {
  if (eventHeader === undefined) return [];
  const listed = events.map((event) => `\`${event}\``).join(', ');
  return ['', `Events, as the header \`${eventHeader}\` names them: ${listed}.`];
}

function parametersText({ parameters }: Webhook): string[] {
  if (parameters.length === 0) return [];
  return [
    '',
    '| parameter | |',
    '| --- | --- |',
    ...parameters.map(({ name, description, defaultValue, required }) => {
      const standard =
        defaultValue === undefined
          ? ''
          : ` (default \`${JSON.stringify(defaultValue).replaceAll('"', '')}\`)`;
      return `| \`${name}\` | ${description}${required ? ', required' : ''}${standard} |`;
    }),
  ];
}

function section(webhook: Webhook): string[] {
  return [
    '',
    `## ${webhook.name}`,
    '',
    webhook.endpoint.description,
    '',
    '```text',
    addressOf(webhook),
    '```',
    ...eventsText(webhook),
    ...parametersText(webhook),
  ];
}

const introduction = `# Integrations

Other services post what happens to them, and it becomes messages. Make a bot of the type "incoming webhook" (\`POST bots\` with
\`bot_type=2\`), put its key into the address below, with the address of your own server, and paste that where the service asks for a
webhook. The bot has to be in a private stream, or its owner, before it can send there.

| in the address | |
| --- | --- |
| \`api_key\` | The key of the bot. HTTP Basic with address and key of the bot serves as well |
| \`stream\` | Where the messages go; without it the owner of the bot gets them privately |
| \`topic\` | The topic; without it the integration says one. Cut at 60 characters |

Values in an address are percent-encoded: a stream \`Fire & clay\` is \`stream=Fire%20%26%20clay\`.

A service that repeats a delivery under the same \`Idempotency-Key\` header (GitHub: \`X-GitHub-Delivery\`) within a day sends nothing twice.

| answer | when |
| --- | --- |
| success | the message is sent, or the event is one that nobody has to read, or the stream does not exist, which the owner of the bot is told |
| \`INVALID_JSON\` | the body is no JSON; its Content-Type is not looked at |
| \`BAD_REQUEST\` | a key is missing in the body or has another type, and \`msg\` names it; the stream or topic cannot be sent to; a text cannot be rendered |
| \`MISSING_HTTP_EVENT_HEADER\` | the header that says what happened is missing |
| \`UNEXPECTED_WEBHOOK_EVENT_TYPE\` | the event is not one of those listed |

What a stranger writes in a payload notifies nobody: mentions in it are silent, except in what \`ifttt\` and \`zapier\` send
([why](decisions/0016-payloads-mention-nobody.md)).

Apprise sends as an ordinary bot, by \`zulip://NAME@HOST/KEY/STREAM\`. It makes the address of the bot by itself, \`NAME-bot@HOST\`, and calls
\`https://HOST\`: so the domain of the bots' addresses, the host of \`PARLEY_PUBLIC_URL\` when they were made, has to be the host where the server is reached,
without a port.`;

const outgoing = `
# Outgoing webhooks

A bot of the type "outgoing webhook" (\`POST bots\` with \`bot_type=3\`) tells a service of yours what people write to it, and says what
that answers. It is called for a message in a stream that mentions it, of which it need not be a subscriber, and for private messages
that it is a recipient of; never for what bots write, and not for silent mentions, \`@**all**\`, groups, or names in code.

| parameter | |
| --- | --- |
| \`payload_url\` | The address that is called, http or https |
| \`interface_type\` | \`1\`: JSON, the default; \`2\`: the form that Slack sends |

Interface 1 posts JSON: \`data\` (the text as it was written), \`message\` (as messages are everywhere, with \`rendered_content\` and without
\`flags\`), \`bot_email\`, \`token\` and \`trigger\` (\`mention\` or \`private_message\`). Interface 2 posts a form: \`token\`, \`team_id\`,
\`team_domain\`, \`channel_id\`, \`channel_name\`, \`timestamp\`, \`user_id\`, \`user_name\`, \`text\`, \`trigger_word\`, \`service_id\`; it is not told of
private messages. Compare \`token\` with that of your bot, which stands in its \`services\` in \`realm_bots\` of the answer to \`POST register\`.

| answer of the service | the bot |
| --- | --- |
| \`{"content": "text"}\`, with \`widget_content\` if you like | says it, where the message was |
| \`{"response_string": "text"}\` | the same |
| \`{"text": "text"}\` (interface 2) | the same |
| \`{"response_not_required": true}\`, or none of these keys | says nothing |
| no JSON | says \`Failure! Invalid JSON in response\` |
| another status than 2xx | says \`Failure! Third party responded with 404\`, and tells its owner the beginning of the answer |
| none in ten seconds, or no connection | is called three more times, at once, after two and after ten seconds; then says \`Failure! Bot is unavailable\`, and tells its owner |
| anything else that went wrong | says so with the kind of error, and tells its owner more |

A call can come twice, when one of our processes died before it had noted your answer. It then has the same \`${deliveryHeader}\`, by
which a service leaves out what it has done; the bot says one answer only.

Redirects are followed, at most five: after 307 and 308 the same is posted again, after 301, 302 and 303 the new address is fetched. An
answer may have 256 KiB, is not asked for in compressed form, and has to be there in twenty seconds, redirects included
(\`PARLEY_OUTGOING_WEBHOOK_TIMEOUT_SECS\`). Four calls of one bot run at once, the others wait.

Addresses of private networks, of the machine itself and of cloud metadata are refused, judged by the address that is connected to, after
each redirect too. \`PARLEY_OUTGOING_WEBHOOK_ALLOWED_NETWORKS\` names those that may be called nevertheless. Names are looked up in DNS only
([why](decisions/0018-calls-of-outgoing-webhooks.md)).

A message that was deleted meanwhile, or changed so that it does not mention the bot any more, calls nobody; nor does a bot that was
deactivated. Embedded bots (\`bot_type=4\`) are off.`;

/** @returns the page as markdown */
export function integrationsPage(): string {
  return [introduction, ...webhooks.flatMap(section), outgoing, ''].join('\n');
}
