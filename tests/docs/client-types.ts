/** The types of `packages/client`, made from the OpenAPI document: what the document does not describe does not compile. */

type Json = Readonly<Record<string, unknown>>;

/** Whether a value of the type is given to the interface or comes from it. */
type Direction = 'given' | 'answered';

const methods = ['get', 'post', 'patch', 'put', 'delete'] as const;
const apiPrefix = '/api/v1';

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function keyText(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function comment(text: unknown): string {
  if (typeof text !== 'string' || text === '') return '';
  return `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, ' ')} */\n`;
}

/** Types of names alone, whose union may hold one of them twice. */
const namedUnion = /^Schemas\['\w+'\](?: \| Schemas\['\w+'\])+$/;

function union(types: readonly string[]): string {
  const distinct = [
    ...new Set(types.flatMap((type) => (namedUnion.test(type) ? type.split(' | ') : type))),
  ];
  if (distinct.includes('unknown')) return 'unknown';
  return distinct.length === 0 ? 'never' : distinct.join(' | ');
}

function grouped(type: string): string {
  return /[|&]/.test(type.replaceAll(/\{[\s\S]*\}/g, '')) ? `(${type})` : type;
}

function block(lines: readonly string[]): string {
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n}`;
}

/** Makes the text of types of one document. */
class TypeWriter {
  readonly #document: Json;

  constructor(document: Json) {
    this.#document = document;
  }

  /** @throws Error when the document does not hold what is referred to */
  resolve(value: unknown): Json {
    const { $ref: reference } = objectOf(value);
    if (typeof reference !== 'string') return objectOf(value);
    const found = reference
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((at, name) => objectOf(at)[name], this.#document);
    if (!isObject(found)) throw new Error(`the document has no ${reference}`);
    return this.resolve(found);
  }

  typeOf(schema: unknown, direction: Direction): string {
    const { $ref: reference, nullable, ...rest } = objectOf(schema);
    if (typeof reference === 'string') {
      const [, name = ''] = /^#\/components\/schemas\/([^/]+)$/.exec(reference) ?? [];
      if (name === '') throw new Error(`no type is made of ${reference}`);
      return `Schemas[${literal(name)}]`;
    }
    const type = this.#withoutNull(rest, direction);
    return nullable === true ? union([type, 'null']) : type;
  }

  #withoutNull(schema: Json, direction: Direction): string {
    if ('const' in schema) return literal(schema['const']);
    if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal));
    const parts: string[] = [];
    for (const key of ['anyOf', 'oneOf'])
      if (Array.isArray(schema[key]))
        parts.push(union(schema[key].map((branch) => this.typeOf(branch, direction))));
    if (Array.isArray(schema['allOf']))
      parts.push(...schema['allOf'].map((part) => this.typeOf(part, direction)));
    const isDescribed = ['type', 'properties', 'items', 'additionalProperties'].some(
      (key) => key in schema,
    );
    // A branch says which of the members it asks for; without members of its own it adds no type.
    const hasMembers = isObject(schema['properties']) || parts.length === 0;
    if (isDescribed && hasMembers) parts.unshift(this.#ofTypes(schema, direction));
    if (parts.length === 0) return 'unknown';
    return parts.length === 1 ? (parts[0] ?? '') : parts.map(grouped).join(' & ');
  }

  #ofTypes(schema: Json, direction: Direction): string {
    const { type } = schema;
    if (Array.isArray(type))
      return union(type.map((one) => this.#ofTypes({ ...schema, type: one }, direction)));
    if (type === 'string')
      return schema['format'] === 'binary' || 'contentMediaType' in schema ? 'Blob' : 'string';
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'boolean' || type === 'null') return type;
    if (type === 'array') return this.#ofArray(schema, direction);
    return this.#ofObject(schema, direction);
  }

  #ofArray(schema: Json, direction: Direction): string {
    const prefix = schema['prefixItems'];
    const item = 'items' in schema ? this.typeOf(schema['items'], direction) : 'unknown';
    const list = Array.isArray(prefix)
      ? `[${prefix.map((one) => this.typeOf(one, direction)).join(', ')}]`
      : `${grouped(item)}[]`;
    return direction === 'given' ? `readonly ${list}` : list;
  }

  #ofObject(schema: Json, direction: Direction): string {
    const properties = objectOf(schema['properties']);
    const required = listOf(schema['required']);
    const lines = Object.entries(properties).map(([name, property]) =>
      this.member(name, property, required.includes(name), direction),
    );
    const additional = schema['additionalProperties'];
    const isOpen = additional !== undefined && additional !== false;
    const others = isObject(additional) ? this.typeOf(additional, direction) : 'unknown';
    if (lines.length === 0)
      return isOpen || schema['properties'] === undefined ? `Record<string, ${others}>` : block([]);
    return isOpen ? `${block(lines)} & Record<string, ${others}>` : block(lines);
  }

  /** One line of an object's type. Optional ones may be given as undefined, which leaves them out. */
  member(name: string, schema: unknown, isRequired: boolean, direction: Direction): string {
    const type = this.typeOf(schema, direction);
    const isUndefinable = direction === 'given' && !isRequired && type !== 'unknown';
    return `  ${comment(objectOf(schema)['description']).replaceAll('\n', '\n  ')}readonly ${keyText(name)}${
      isRequired ? '' : '?'
    }: ${indented(type)}${isUndefinable ? ' | undefined' : ''};`;
  }
}

type Operation = { readonly key: string; readonly isBelowRoot: boolean; readonly json: Json };

function operationsOf(document: Json): Operation[] {
  return Object.entries(objectOf(document['paths'])).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const json = objectOf(item)[method];
      if (!isObject(json)) return [];
      const isBelowRoot = !path.startsWith(`${apiPrefix}/`);
      const below = isBelowRoot ? path : path.slice(apiPrefix.length);
      return [{ key: `${method.toUpperCase()} ${below}`, isBelowRoot, json }];
    }),
  );
}

/** @returns the schema of a parameter, whichever of the two forms it has */
function schemaOfParameter(parameter: Json): unknown {
  const media = objectOf(objectOf(parameter['content'])['application/json']);
  return parameter['schema'] ?? media['schema'];
}

function describeParameter(schema: unknown, description: unknown): Json {
  const known = objectOf(schema);
  return description === undefined ? known : { ...known, description };
}

/** Headers are given beside the parameters. */
function isGivenByName(parameter: Json): boolean {
  return parameter['in'] === 'path' || parameter['in'] === 'query';
}

function parametersOf(writer: TypeWriter, json: Json): string {
  const members = new Map<string, string>();
  const add = (name: string, schema: unknown, isRequired: boolean): void => {
    members.set(name, writer.member(name, schema, isRequired, 'given'));
  };
  for (const parameter of listOf(json['parameters']).map((one) => writer.resolve(one)))
    if (isGivenByName(parameter))
      add(
        String(parameter['name']),
        describeParameter(schemaOfParameter(parameter), parameter['description']),
        parameter['required'] === true,
      );
  const body = writer.resolve(json['requestBody']);
  const content = objectOf(body['content']);
  const form = content['multipart/form-data'] ?? content['application/x-www-form-urlencoded'];
  if (form !== undefined) {
    const schema = writer.resolve(objectOf(form)['schema']);
    const required = listOf(schema['required']);
    for (const [name, property] of Object.entries(objectOf(schema['properties'])))
      add(name, property, required.includes(name));
  } else if (content['application/json'] !== undefined) {
    add('body', objectOf(content['application/json'])['schema'], body['required'] === true);
  }
  return members.size === 0 ? 'NoParameters' : block([...members.values()]);
}

function jsonSchemaOf(response: Json): unknown {
  return objectOf(objectOf(response['content'])['application/json'])['schema'];
}

function isRaw(response: Json): boolean {
  return isObject(response['content']) && jsonSchemaOf(response) === undefined;
}

function responsesOf(writer: TypeWriter, json: Json, isSuccess: boolean): Json[] {
  return Object.entries(objectOf(json['responses']))
    .filter(([status]) => /^[23]/.test(status) === isSuccess)
    .map(([, response]) => writer.resolve(response));
}

function answerType(writer: TypeWriter, json: Json): string {
  return union(
    responsesOf(writer, json, true).map((response) => {
      const schema = jsonSchemaOf(response);
      return isRaw(response) || schema === undefined
        ? 'Response'
        : writer.typeOf(schema, 'answered');
    }),
  );
}

/** A refusal that is no JSON has no type of its own: the client gives its status. */
function refusalType(writer: TypeWriter, json: Json): string {
  const schemas = responsesOf(writer, json, false).map(jsonSchemaOf);
  return union(
    schemas.filter((schema) => schema !== undefined).map((one) => writer.typeOf(one, 'answered')),
  );
}

function operationText(writer: TypeWriter, { key, json }: Operation): string {
  const lines = [
    `  readonly parameters: ${indented(parametersOf(writer, json))};`,
    `  readonly answer: ${indented(answerType(writer, json))};`,
    `  readonly refusal: ${indented(refusalType(writer, json))};`,
  ];
  return indented(`${comment(json['summary'])}readonly ${literal(key)}: ${block(lines)};`);
}

function hasJsonBody({ json }: Operation): boolean {
  const content = objectOf(objectOf(json['requestBody'])['content']);
  return Object.keys(content).join() === 'application/json';
}

function listText(name: string, about: string, keys: readonly string[]): string {
  const items = keys.map((key) => `  ${literal(key)},\n`).join('');
  return `/** ${about} */\nexport const ${name}: ReadonlySet<string> = new Set([\n${items}]);`;
}

/**
 * @param document an OpenAPI 3.1 document
 * @returns the text of a module with the types of all that it describes
 */
export function clientTypesPage(document: unknown): string {
  const whole = objectOf(document);
  const writer = new TypeWriter(whole);
  const operations = operationsOf(whole);
  const schemas = Object.entries(objectOf(objectOf(whole['components'])['schemas'])).map(
    ([name, schema]) => writer.member(name, schema, true, 'answered'),
  );
  const keysOf = (chosen: readonly Operation[]): string[] => chosen.map(({ key }) => key);
  return [
    '/** The types of the interface, written from the endpoint declarations by `npm run docs`. Changes are made there. */',
    '',
    '/** Of an operation that takes none. */',
    'export type NoParameters = { readonly [name in string]?: never };',
    '',
    `export type Schemas = ${block(schemas)};`,
    '',
    `export type Operations = ${block(operations.map((operation) => `  ${operationText(writer, operation)}`))};`,
    '',
    listText(
      'operationsBelowRoot',
      'Operations whose path is not below `/api/v1`.',
      keysOf(operations.filter(({ isBelowRoot }) => isBelowRoot)),
    ),
    '',
    listText(
      'operationsWithJsonBody',
      'Operations whose parameter `body` is the JSON body of the request.',
      keysOf(operations.filter(hasJsonBody)),
    ),
    '',
  ].join('\n');
}
