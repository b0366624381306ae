/** Monitoring services (reference facts, people 17.4). */
import { writeLink } from '@parley/markdown';
import {
  alertmanagerWebhook,
  sentryWebhook,
  splunkWebhook,
  zabbixWebhook,
} from '@parley/api/webhooks';

import { quoteBlock } from './git-wording.ts';
import { readJson, tooManyMessages } from './integration.ts';
import type { WebhookMessage } from './integration.ts';

export const sentry = readJson(sentryWebhook, ({ project_name: topic, url, level, message }) => [
  {
    topic,
    content: `New ${writeLink('issue', url)} (level: ${level.toUpperCase()}):\n\n${quoteBlock(message, '`')}`,
  },
]);

type Texts = Readonly<Record<string, string>> | null;

/** @returns the first that is not blank: a blank topic would refuse all alerts of the request */
function findText(name: string, ...places: readonly (Texts | undefined)[]): string | undefined {
  return places
    .map((place) => (place && Object.hasOwn(place, name) ? place[name] : undefined))
    .find((found) => found !== undefined && found.trim() !== '');
}

/** Each topic and state of one notification is a message; a notification with thousands of them is not sent at all. */
const alertMessagesMax = 100;

function alertText(status: string, lines: readonly string[]): string {
  const heading = status === 'firing' ? ':alert: **FIRING**' : ':squared_ok: **Resolved**';
  return lines.length === 1
    ? `${heading} ${lines.join('')}`
    : [heading, ...lines.map((line) => `* ${line}`)].join('\n');
}

export const alertmanager = readJson(
  alertmanagerWebhook,
  ({ alerts }, { parameters: { name, desc } }) => {
    const groups = new Map<string, WebhookMessage & { status: string; lines: string[] }>();
    for (const { status, generatorURL, labels, annotations } of alerts) {
      const topic = findText(name, labels, annotations) ?? '(unknown)';
      const description = findText(desc, labels, annotations) ?? `<missing field: ${desc}>`;
      // Alertmanager itself leaves it empty where an alert has none.
      const graph = generatorURL
        ? ` (${writeLink('graph', generatorURL.replace('tab=1', 'tab=0'))})`
        : '';
      const line = `${description}${graph}`;
      const key = JSON.stringify([topic, status]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { topic, status, content: '', lines: [line] });
      else group.lines.push(line);
    }
    if (groups.size > alertMessagesMax) throw tooManyMessages(alertMessagesMax);
    return [...groups.values()].map(({ topic, status, lines }) => ({
      topic,
      content: alertText(status, lines),
    }));
  },
);

export const zabbix = readJson(
  zabbixWebhook,
  ({ hostname, severity, status, item, trigger, link }) => [
    {
      topic: hostname,
      content: `${status} (${severity}) alert on ${writeLink(hostname, link)}:\n* ${trigger}\n* ${item}`,
    },
  ],
  { reportsInvalidPayload: true },
);

export const splunk = readJson(splunkWebhook, ({ search_name, results_link, result }) => {
  const topic = search_name ?? 'Missing search_name';
  return [
    {
      topic,
      content: [
        'Splunk alert from saved search:',
        `* **Search**: ${writeLink(topic, results_link ?? 'Missing results_link')}`,
        `* **Host**: ${result?.host ?? 'Missing host'}`,
        `* **Source**: \`${result?.source ?? 'Missing source'}\``,
        `* **Raw**: \`${result?._raw ?? 'Missing _raw'}\``,
      ].join('\n'),
    },
  ];
});
