import {
  checkLength,
  requestConfusingVariable,
  requestVariableInvalid,
  requestVariableMissing,
} from '../errors.ts';
import type { Parameter } from './parameters.ts';

/** Parameters of a query or form, by name; the last value of a name counts. */
export type FormValues = Map<string, string>;

/** The sources of the texts of a request's parameters. */
export type RawParameters = {
  readonly query: FormValues;
  readonly form: FormValues;
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};

/** The text of a name; the body has priority over the query (reference facts, people 2.2). */
export function findRawText(raw: RawParameters, name: string): string | undefined {
  return raw.form.get(name) ?? raw.query.get(name);
}

function findText(raw: RawParameters, parameter: Parameter): string | undefined {
  if (parameter.from === 'path') return raw.path[parameter.name];
  if (parameter.from === 'body') return raw.body.toString('utf8');
  let found = findRawText(raw, parameter.name);
  let foundName = parameter.name;
  for (const alias of parameter.aliases) {
    const other = findRawText(raw, alias);
    if (other === undefined) continue;
    if (found !== undefined) throw requestConfusingVariable(foundName, alias);
    found = other;
    foundName = alias;
  }
  return found;
}

function decodeOne(raw: RawParameters, parameter: Parameter): unknown {
  const text = findText(raw, parameter);
  if (text === undefined || (text === 'null' && parameter.nullMeansAbsent && !parameter.required)) {
    if (parameter.required) throw requestVariableMissing(parameter.name);
    return parameter.defaultValue;
  }
  // Postgres cannot store a U+0000, so it is refused here unless the endpoint has its own answer.
  if (!parameter.nulHandled && parameter.from === 'form' && text.includes('\0')) {
    throw requestVariableInvalid(parameter.name, text);
  }
  return parameter.decode(text);
}

/**
 * Decodes the parameters in their declared order, and then checks the lengths of texts.
 *
 * @throws ApiError for the first one that fails
 */
export function decodeParameters(
  raw: RawParameters,
  parameters: readonly Parameter[],
): Readonly<Record<string, unknown>> {
  const decoded: Record<string, unknown> = {};
  for (const parameter of parameters) decoded[parameter.name] = decodeOne(raw, parameter);
  for (const { name, maxCodePoints } of parameters) {
    const value = decoded[name];
    if (maxCodePoints !== undefined && typeof value === 'string')
      checkLength(name, value, maxCodePoints);
  }
  return decoded;
}
