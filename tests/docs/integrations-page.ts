/** The page about incoming webhooks, made from their declarations. */
import { integrations } from '../../services/messages/src/webhooks/index.ts';

type Integration = (typeof integrations)[number];

function addressOf({ name }: Integration): string {
  return `https://chat.example.com/api/v1/external/${name}?api_key=KEY&stream=STREAM`;
}

function eventsText({ eventHeader, events }: Integration): string[] {
  if (eventHeader === undefined) return [];
  const listed = events.map((event) => `\`${event}\``).join(', ');
  return ['', `Events, as the header \`${eventHeader}\` names them: ${listed}.`];
}

function parametersText({ parameters }: Integration): string[] {
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

function section(integration: Integration): string[] {
  return [
    '',
    `## ${integration.name}`,
    '',
    integration.about,
    '',
    '```text',
    addressOf(integration),
    '```',
    ...eventsText(integration),
    ...parametersText(integration),
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
([why](decisions/0016-payloads-mention-nobody.md)).`;

/** @returns the page as markdown */
export function integrationsPage(): string {
  return [introduction, ...integrations.flatMap(section), ''].join('\n');
}
