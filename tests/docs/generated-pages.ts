/** The pages of the documentation that are generated from tables in the code. */
import { configAsMarkdown } from '@parley/config';
import { errorCatalogue, errorsWithoutCode } from '@parley/api';
import { tracingVariables } from '@parley/telemetry/tracing';

import { decisionsPage, decisionsPagePath } from './decisions-page.ts';
import { integrationsPage } from './integrations-page.ts';

export type GeneratedPage = { readonly path: string; readonly text: string };

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}

function errorRow(code: string, form: (typeof errorsWithoutCode)[number]): string {
  const fields = form.fields.map((field) => `\`${field}\``).join(', ');
  return `| ${code} | ${form.status} | ${cell(form.text)} | ${fields} | ${cell(form.when)} |`;
}

function errorsPage(): string {
  const rows = Object.entries(errorCatalogue).flatMap(([code, forms]) =>
    forms.map((form) => errorRow(`\`${code}\``, form)),
  );
  return [
    '# Errors',
    '',
    'Every refusal is a JSON object with `result` (`error`), `msg`, mostly a `code`, and the fields named here. Act on `code`; the',
    'texts are stable as well. `{x}` marks a value filled in.',
    '',
    '| code | status | msg | fields | when |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    'These carry no code:',
    '',
    '| | status | msg | fields | when |',
    '| --- | --- | --- | --- | --- |',
    ...errorsWithoutCode.map((form) => errorRow('', form)),
    '',
  ].join('\n');
}

function settingsPage(): string {
  return [
    '# Settings',
    '',
    'Services are configured by their environment only, read once at the start; all faults are reported together and nothing',
    'starts. A secret may come from a file instead.',
    '',
    configAsMarkdown(),
    '## Traces',
    '',
    'The standard variables of OpenTelemetry. Nothing is traced, and nothing of it loaded, unless one of the first two names a',
    'collector. Spans go to it as OTLP over HTTP in JSON; what is in them is in',
    '[packages/telemetry/src/tracing](../packages/telemetry/README.md).',
    '',
    '| Variable | Meaning |',
    '| --- | --- |',
    ...tracingVariables.map(({ name, meaning }) => `| \`${name}\` | ${cell(meaning)} |`),
    '',
  ].join('\n');
}

/** @returns each page with its path from the root of the repository */
export function generatedPages(): GeneratedPage[] {
  return [
    { path: 'docs/errors.md', text: errorsPage() },
    { path: 'docs/settings.md', text: settingsPage() },
    { path: 'docs/integrations.md', text: integrationsPage() },
    { path: decisionsPagePath, text: decisionsPage() },
  ];
}
