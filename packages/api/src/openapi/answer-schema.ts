import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv/dist/2020.js';

/** Compares answers with the JSON Schemas of the OpenAPI document. Faults are for developers, never for clients. */

const shownMax = 200;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

function valueAt(data: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (at as Readonly<Record<string, unknown>>)[part], data);
}

/** All branches of a union have faults, and the deepest one is the most specific. */
function describeFault(errors: readonly ErrorObject[], data: unknown): string {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  const deepest = errors.reduce<ErrorObject | undefined>(
    (best, error) => (best === undefined || depth(error) > depth(best) ? error : best),
    undefined,
  );
  if (deepest === undefined) return 'no fault is named';
  const { instancePath, message = '', params } = deepest;
  const place = instancePath === '' ? 'the answer' : instancePath;
  return `${place} ${message} ${JSON.stringify(params)}: ${shown(valueAt(data, instancePath))}`;
}

/** Returns place, rule and value of the most specific fault of a value, or undefined. */
export type AnswerCheck = (data: unknown) => string | undefined;

const documentName = 'document';

/** The schemas of one document, each compiled at its first use. */
export class AnswerSchemas {
  /**
   * References are not inlined, the code is not optimized, and the schemas are not compared with that of all schemas: together these would
   * take ten times as long, while the process has other work.
   */
  readonly #ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    unicodeRegExp: true,
    discriminator: true,
    inlineRefs: false,
    code: { optimize: false },
  });
  readonly #checks = new Map<string, AnswerCheck>();

  /** @param document an OpenAPI document, or any other object with the schemas and their references */
  constructor(document: Readonly<Record<string, unknown>>) {
    this.#ajv.addSchema({ ...document, $id: documentName });
  }

  /**
   * @param pointer of the schema within the document, such as `/components/schemas/Event`
   * @throws Error if it has a broken reference
   */
  checkAt(pointer: string): AnswerCheck {
    const known = this.#checks.get(pointer);
    if (known !== undefined) return known;
    const validate = this.#ajv.compile({ $ref: `${documentName}#${encodeURI(pointer)}` });
    const check: AnswerCheck = (data) =>
      validate(data) ? undefined : describeFault(validate.errors ?? [], data);
    this.#checks.set(pointer, check);
    return check;
  }
}
