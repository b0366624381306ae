import { AsyncResource } from 'node:async_hooks';

import { findTracer } from '@parley/telemetry/tracing';
import type { Span } from '@parley/telemetry/tracing';
import type pg from 'pg';

type Callback = (error: unknown, result: unknown) => void;
type ConnectCallback = (error: unknown, client: unknown, release: unknown) => void;

/**
 * The name of a statement in a trace: its prepared name, or its first word. Never its text, which may contain values.
 */
export function statementName(statement: unknown): string {
  if (typeof statement === 'string') return /^\s*([a-z]+)/i.exec(statement)?.[1] ?? 'statement';
  if (typeof statement !== 'object' || statement === null) return 'statement';
  if ('name' in statement && typeof statement.name === 'string') return statement.name;
  return 'text' in statement ? statementName(statement.text) : 'statement';
}

/** The SQL state, which shows the kind of fault but no values. */
function faultOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code);
  return error instanceof Error ? error.name : 'thrown';
}

function openStatementSpan(statement: unknown): Span | undefined {
  return findTracer()
    ?.findSpan()
    ?.openChild(statementName(statement), {
      kind: 'client',
      attributes: { 'db.system.name': 'postgresql' },
    });
}

function traceClient(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  const traced = (...parts: unknown[]): unknown => {
    const span = openStatementSpan(parts[0]);
    if (span === undefined) return query(...parts);
    const callback = parts.at(-1);
    if (typeof callback === 'function') {
      const finish: Callback = (error, result) => {
        span.end(error === null || error === undefined ? undefined : faultOf(error));
        (callback as Callback)(error, result);
      };
      return query(...parts.slice(0, -1), finish);
    }
    const answer = query(...parts);
    if (answer instanceof Promise) {
      answer.then(
        () => span.end(),
        (error: unknown) => span.end(faultOf(error)),
      );
    } else span.end();
    return answer;
  };
  Reflect.set(client, 'query', traced);
}

/** Gives each statement of a traced request a span, by its name. */
export function traceStatements(pool: pg.Pool): void {
  pool.on('connect', traceClient);
  // A pool statement that waited for a connection would otherwise run in the trace of the request that released it.
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => unknown;
  const bound = (callback?: ConnectCallback): unknown =>
    callback === undefined ? connect() : connect(AsyncResource.bind(callback));
  Reflect.set(pool, 'connect', bound);
}
