/** Monitoring services (reference facts, people 17.4). */
import { textParameter } from '../declare/parameters.ts';
import { listOf, mapOrNullOf, optional, text, textOrNull } from '../declare/schema.ts';
import { record } from './payload-schema.ts';
import { declareJsonWebhook } from './webhook.ts';

export const sentryWebhook = declareJsonWebhook({
  name: 'sentry',
  label: 'Sentry',
  description: 'Sentry, with its WebHooks plugin.',
  example: {
    payload: {
      project_name: 'keel',
      url: 'https://errors.example/1',
      level: 'error',
      message: 'Too few bolts',
    },
  },
  parameters: [],
  payload: record({ project_name: text, url: text, level: text, message: text }),
});

export const alertmanagerWebhook = declareJsonWebhook({
  name: 'alertmanager',
  label: 'AlertManager',
  description:
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
  parameters: [
    textParameter('name', { default: 'instance', description: 'The label to use as topic' }),
    textParameter('desc', { default: 'alertname', description: 'The label to use as text' }),
  ],
  payload: record({
    alerts: listOf(
      record({
        status: text,
        ...optional({
          generatorURL: textOrNull,
          labels: mapOrNullOf(text),
          annotations: mapOrNullOf(text),
        }),
      }),
    ),
  }),
});

export const zabbixWebhook = declareJsonWebhook({
  name: 'zabbix',
  label: 'Zabbix',
  description: 'Zabbix, with a media type that posts these keys.',
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
  parameters: [],
  payload: record({
    hostname: text,
    severity: text,
    status: text,
    item: text,
    trigger: text,
    link: text,
  }),
});

export const splunkWebhook = declareJsonWebhook({
  name: 'splunk',
  label: 'Splunk',
  description:
    'Splunk, as the webhook of a saved search. Values that are not in the payload are shown as missing.',
  example: {
    payload: {
      search_name: 'High water',
      results_link: 'https://search.example/7',
      result: { host: 'slipway', source: '/var/log/tide', _raw: '19:48 4.1 m' },
    },
  },
  parameters: [],
  payload: record(
    optional({
      search_name: text,
      results_link: text,
      result: record(optional({ host: text, source: text, _raw: text })),
    }),
  ),
});
