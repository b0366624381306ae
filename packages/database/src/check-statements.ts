import type pg from 'pg';

/** Postgres' protocol counts the values of a statement in 16 bits; beyond that it would be misread. */
const valuesMax = 65_535;

/** A statement has more values than the protocol can carry. It was not sent. */
export class TooManyValues extends Error {
  /** Postgres' own state for too many arguments. */
  readonly code = '54023';
}

const shownMaxLength = 200;

/**
 * The part of a statement that a log may show: its name, or the beginning of its text up to the first quotation mark, after which a user's
 * text may follow.
 */
function shownStatement(statement: unknown): string {
  if (typeof statement === 'string')
    return statement
      .slice(0, shownMaxLength)
      .replace(/(?:'|\$[a-z_]).*$/is, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
  if (typeof statement !== 'object' || statement === null) return '';
  if ('name' in statement && typeof statement.name === 'string') return statement.name;
  return 'text' in statement ? shownStatement(statement.text) : '';
}

function hasTooManyValues(statement: unknown): boolean {
  return (
    typeof statement === 'object' &&
    statement !== null &&
    'values' in statement &&
    Array.isArray(statement.values) &&
    statement.values.length > valuesMax
  );
}

/** Errors of Postgres do not name the statement, and its own log would show all of it. */
function noteStatement(error: unknown, statement: unknown): void {
  if (error instanceof Error) Object.assign(error, { statement: shownStatement(statement) });
}

type Callback = (error: unknown, result?: unknown) => void;

/** Makes a connection refuse statements that the protocol cannot carry, and name the statement in all other errors. */
export function checkStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  const checked = (...parts: unknown[]): unknown => {
    const [statement] = parts;
    const callback = parts.at(-1) as Callback | undefined;
    const hasCallback = typeof callback === 'function';
    if (hasTooManyValues(statement)) {
      const refusal = new TooManyValues(`a statement has more than ${valuesMax} values`);
      noteStatement(refusal, statement);
      return hasCallback ? callback(refusal) : Promise.reject(refusal);
    }
    if (hasCallback) {
      return query(...parts.slice(0, -1), (error: unknown, result: unknown) => {
        noteStatement(error, statement);
        callback(error, result);
      });
    }
    const answer = query(...parts);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      noteStatement(error, statement);
      throw error;
    });
  };
  Reflect.set(client, 'query', checked);
}
