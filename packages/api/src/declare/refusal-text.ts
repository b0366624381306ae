import type { ErrorObject } from 'ajv';

/**
 * Translates ajv's faults into the texts of the reference facts, people 2.4. The first fault decides; with several alternatives (`anyOf`),
 * that of the node that contains them.
 */

const typeTexts: Readonly<Record<string, string>> = {
  string: 'is not a string',
  integer: 'is not an integer',
  number: 'is not a float',
  boolean: 'is not a boolean',
  array: 'is not a list',
  object: 'is not a dict',
  null: 'is not null',
};

const formatTexts: Readonly<Record<string, string>> = {
  date: 'is not a date',
  url: 'is not a URL',
  'hex-color': 'is not a valid hex color code',
};

/** `/0/name` below `subscriptions` becomes `subscriptions[0]["name"]`. */
function nameOfNode(name: string, instancePath: string, root: unknown): string {
  let described = name;
  let node = root;
  for (const step of instancePath.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    described += Array.isArray(node) ? `[${key}]` : `["${key}"]`;
    node =
      typeof node === 'object' && node !== null
        ? (node as Record<string, unknown>)[key]
        : undefined;
  }
  return described;
}

function lengthText(error: ErrorObject, limit: number, got: number): string {
  const schema = error.parentSchema as { minLength?: number; maxLength?: number } | undefined;
  if (schema?.minLength !== undefined && schema.minLength === schema.maxLength) {
    return `has incorrect length ${got}; should be ${limit}`;
  }
  return error.keyword === 'maxLength'
    ? `is too long (limit: ${limit} characters)`
    : 'cannot be blank.';
}

function itemsText(error: ErrorObject, limit: number): string {
  const schema = error.parentSchema as { minItems?: number; maxItems?: number } | undefined;
  if (schema?.minItems !== undefined && schema.minItems === schema.maxItems) {
    return `should have exactly ${limit} items`;
  }
  return error.keyword === 'maxItems'
    ? `is too long (limit: ${limit} items)`
    : `should have at least ${limit} items`;
}

function unexpectedArguments(error: ErrorObject): string {
  const schema = error.parentSchema as
    | { properties?: Readonly<Record<string, unknown>> }
    | undefined;
  const known = new Set(Object.keys(schema?.properties ?? {}));
  const unexpected = Object.keys(error.data as object).filter((key) => !known.has(key));
  return `Unexpected arguments: ${unexpected.toSorted().join(', ')}`;
}

/**
 * @param errors ajv's faults, the first one first
 * @param name the parameter's external name
 * @param root the value that failed
 */
export function refusalText(errors: readonly ErrorObject[], name: string, root: unknown): string {
  // ajv lists the faults of the alternatives before the fault of their node.
  const error = errors.find((candidate) => candidate.keyword === 'anyOf') ?? errors[0];
  if (error === undefined) return `${name} is not an allowed_type`;
  const node = nameOfNode(name, error.instancePath, root);
  const schema = error.parentSchema as { refusal?: string; type?: unknown } | undefined;
  const params = error.params as Readonly<Record<string, unknown>>;
  if (schema?.refusal !== undefined && error.keyword !== 'required')
    return `${node} ${schema.refusal}`;
  switch (error.keyword) {
    case 'type':
      return `${node} ${typesText(params['type'])}`;
    case 'integerLiteral':
      return `${node} ${typesText(schema?.type)}`;
    case 'required':
      return `${String(params['missingProperty'])} key is missing from ${node}`;
    case 'additionalProperties':
      return unexpectedArguments(error);
    case 'maxLength':
    case 'minLength':
      return `${node} ${lengthText(error, Number(params['limit']), Array.from(String(error.data)).length)}`;
    case 'maxItems':
    case 'minItems':
      return `${node} ${itemsText(error, Number(params['limit']))}`;
    case 'format':
      return `${node} ${formatTexts[String(params['format'])] ?? 'is not an allowed_type'}`;
    case 'notBlank':
      return `${node} cannot be blank.`;
    case 'const':
      return `${node} != ${String(params['allowedValue'])} (${String(error.data)} is wrong)`;
    case 'enum':
    case 'minimum':
    case 'maximum':
    case 'pattern':
      return `Invalid ${node}`;
    default:
      return `${node} is not an allowed_type`;
  }
}

function typesText(types: unknown): string {
  const names = Array.isArray(types)
    ? types.filter((type) => type !== 'null').map(String)
    : [String(types)];
  const [first, second] = names;
  if (names.length === 1 && first !== undefined)
    return typeTexts[first] ?? 'is not an allowed_type';
  if (names.length === 2 && first === 'string' && second === 'integer')
    return 'is not a string or integer';
  return 'is not an allowed_type';
}
