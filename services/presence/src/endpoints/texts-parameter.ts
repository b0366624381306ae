import { badRequest } from '@parley/contracts';
import type { Parameter } from '@parley/http';

/**
 * An object whose values must all be texts (reference facts, people 2.4).
 *
 * @param parameter the same of any values
 */
export function ofTexts<
  Name extends string,
  Value extends Readonly<Record<string, unknown>> | undefined,
>(
  parameter: Parameter<Name, Value>,
): Parameter<Name, Record<string, string> | Extract<Value, undefined>> {
  return {
    ...parameter,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    decode: (raw) => checkTexts(parameter.name, parameter.decode(raw)),
  };
}

function checkTexts(
  name: string,
  given: Readonly<Record<string, unknown>> | undefined,
): Record<string, string> {
  if (!Object.values(given ?? {}).every((value) => typeof value === 'string'))
    throw badRequest(`${name} contains a value that is not a string`);
  return given as Record<string, string>;
}
