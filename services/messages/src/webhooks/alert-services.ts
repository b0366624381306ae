/** Services that watch others (reference facts, people 17.4). */
import { text as textParameter } from '@parley/http';

import { quoteBlock } from './git-wording.ts';
import { jsonIntegration, tooManyMessages } from './integration.ts';
import type { WebhookMessage } from './integration.ts';
import { listOf, record, text } from './payload-schema.ts';

export const sentry = jsonIntegration({
  name: 'sentry',
  label: 'Sentry',
  about: 'Sentry, with its WebHooks plugin.',
  example: {
    payload: {
      project_name: 'keel',
      url: 'https://errors.example/1',
      level: 'error',
      message: 'Too few bolts',
    },
  },
  payload: record({ project_name: text, url: text, level: text, message: text }),
  toMessages: ({ project_name: topic, url, level, message }) => [
    {
      topic,
      content: `New [issue](${url}) (level: ${level.toUpperCase()}):\n\n${quoteBlock(message, '`')}`,
    },
  ],
});

const texts = { type: 'object', additionalProperties: text } as const;

type Texts = Readonly<Record<string, string>>;

function findText(name: string, ...places: readonly (Texts | undefined)[]): string | undefined {
  return places.find((place) => place !== undefined && Object.hasOwn(place, name))?.[name];
}

/** Each topic and state of one notification is a message; a notification of thousands is not sent at all. */
const alertMessagesMax = 100;

function alertText(status: string, lines: readonly string[]): string {
  const heading = status === 'firing' ? ':alert: **FIRING**' : ':squared_ok: **Resolved**';
  return lines.length === 1
    ? `${heading} ${lines.join('')}`
    : [heading, ...lines.map((line) => `* ${line}`)].join('\n');
}

export const alertmanager = jsonIntegration({
  name: 'alertmanager',
  label: 'AlertManager',
  about:
    'Prometheus Alertmanager. `name` and `desc` in the URL choose the labels or annotations for topic and text.',
  example: {
    payload: {
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'High water', instance: 'slipway' },
          annotations: {},
          generatorURL: 'https://graphs.example/tide',
        },
      ],
    },
  },
  payload: record({
    alerts: listOf(
      record({ status: text, generatorURL: text }, { labels: texts, annotations: texts }),
    ),
  }),
  parameters: [
    textParameter('name', { default: 'instance', description: 'The label that is the topic' }),
    textParameter('desc', { default: 'alertname', description: 'The label that is the text' }),
  ],
  toMessages: ({ alerts }, { parameters: { name, desc } }) => {
    const groups = new Map<string, WebhookMessage & { status: string; lines: string[] }>();
    for (const { status, generatorURL, labels, annotations } of alerts) {
      const topic = findText(name, labels, annotations) ?? '(unknown)';
      const description = findText(desc, labels, annotations) ?? `<missing field: ${desc}>`;
      const line = `${description} ([graph](${generatorURL.replace('tab=1', 'tab=0')}))`;
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
});

export const zabbix = jsonIntegration({
  name: 'zabbix',
  label: 'Zabbix',
  about: 'Zabbix, with a media type that posts these keys.',
  example: {
    payload: {
      hostname: 'slipway',
      severity: 'Warning',
      status: 'PROBLEM',
      item: 'Tide is 4.1 m',
      trigger: 'High water',
      link: 'https://watch.example/slipway',
    },
  },
  tellsOfInvalidPayload: true,
  payload: record({
    hostname: text,
    severity: text,
    status: text,
    item: text,
    trigger: text,
    link: text,
  }),
  toMessages: ({ hostname, severity, status, item, trigger, link }) => [
    {
      topic: hostname,
      content: `${status} (${severity}) alert on [${hostname}](${link}):\n* ${trigger}\n* ${item}`,
    },
  ],
});

export const splunk = jsonIntegration({
  name: 'splunk',
  label: 'Splunk',
  about:
    'Splunk, as the webhook of a saved search. What is not in the payload is shown as missing.',
  example: {
    payload: {
      search_name: 'High water',
      results_link: 'https://search.example/7',
      result: { host: 'slipway', source: '/var/log/tide', _raw: '19:48 4.1 m' },
    },
  },
  payload: record(
    {},
    {
      search_name: text,
      results_link: text,
      result: record({}, { host: text, source: text, _raw: text }),
    },
  ),
  toMessages: ({ search_name, results_link, result }) => {
    const topic = search_name ?? 'Missing search_name';
    return [
      {
        topic,
        content: [
          'Splunk alert from saved search:',
          `* **Search**: [${topic}](${results_link ?? 'Missing results_link'})`,
          `* **Host**: ${result?.host ?? 'Missing host'}`,
          `* **Source**: \`${result?.source ?? 'Missing source'}\``,
          `* **Raw**: \`${result?._raw ?? 'Missing _raw'}\``,
        ].join('\n'),
      },
    ];
  },
});
