import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv/dist/2020.js';

/** Comparing answers with JSON Schema as the OpenAPI document has it. A fault is told to developers, never to a client. */

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

/** Of a union all branches have their faults, and the one that went deepest says most. */
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

/** Gives place, rule and value of the fault of a value that says most, or undefined. */
export type AnswerCheck = (data: unknown) => string | undefined;

const documentName = 'document';

/** The schemas of one document, each compiled when it is first asked for. */
export class AnswerSchemas {
  /**
   * References are not copied into every place, and the code is not made smaller: together these would take ten times as long, while
   * the process has other things to do.
   */
  readonly #ajv = new Ajv2020({
    strict: false,
    unicodeRegExp: true,
    discriminator: true,
    inlineRefs: false,
    code: { optimize: false },
  });
  readonly #checks = new Map<string, AnswerCheck>();

  /** @param document an OpenAPI document, or anything else with the schemas and what they refer to */
  constructor(document: Readonly<Record<string, unknown>>) {
    this.#ajv.addSchema({ ...document, $id: documentName });
  }

  /**
   * @param pointer of the schema within the document, such as `/components/schemas/Event`
   * @throws Error when it is none, or refers to what is not there
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
