/** The queries of `deploy/prometheus` and `deploy/grafana`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { parse } from 'yaml';

export const prometheusFolder = join(repositoryFolder, 'deploy', 'prometheus');

export type Alert = {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
};
export type Recording = { readonly record: string; readonly expr: string };
export type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
};

function readRules(file: string): readonly unknown[] {
  const { groups } = parse(readFileSync(join(prometheusFolder, file), 'utf8')) as {
    groups: { rules: unknown[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

export function readAlerts(): readonly Alert[] {
  return readRules('alerts.yaml') as readonly Alert[];
}

export function readRecordings(): readonly Recording[] {
  return readRules('recording-rules.yaml') as readonly Recording[];
}

export function readPanels(): readonly Panel[] {
  const file = join(repositoryFolder, 'deploy', 'grafana', 'parley.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { panels: Panel[] }).panels;
}

/** @returns the expression of an alert without its bound; undefined if it does not end with a bound */
export function withoutBound(expr: string): string | undefined {
  return /^(.*?)\s*(?:==|[<>])\s*[\d.]+$/s.exec(expr.trim())?.[1];
}
