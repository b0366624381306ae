/** The types of an operation's parameters, answer and refusals, by its name: method and path as in the documentation. */
import type { DeclaredSuccess, ErrorCode, Parameter, Refusal } from '@parley/api';
import type { DeclaredEndpoint } from '@parley/api/endpoints';
import type { FieldsOfCode, ImpliedErrorCode, SharedRefusalFields } from '@parley/api/openapi';
import type { Immutable, Static, Whole } from '@parley/api/schema';

type PathOf<Path extends string> = Path extends `${infer Begin}{${infer Name}...}`
  ? `${Begin}{${Name}}`
  : Path;

type NameOf<Declared extends DeclaredEndpoint> =
  `${Declared['method'] extends 'ANY' ? 'POST' : Declared['method']} ${PathOf<Declared['path']>}`;

type Given<Item extends Parameter> = Immutable<Static<Item['schema']>>;

/** An optional value may be given as undefined, which omits it. */
type GivenParameters<Item extends Parameter> = {
  readonly [Each in Item as Each['required'] extends true ? Each['name'] : never]: Given<Each>;
} & {
  readonly [Each in Item as Each['required'] extends true ? never : Each['name']]?:
    | Given<Each>
    | undefined;
};

type GivenFile<Declared extends DeclaredEndpoint> = Declared['file'] extends 'streamed' | 'required'
  ? { readonly file: Blob }
  : Declared['file'] extends 'optional'
    ? { readonly file?: Blob | undefined }
    : unknown;

/** For an operation without parameters. */
type NoParameters = { readonly [name in string]?: never };

type OrNone<Parameters> = keyof Parameters extends never ? NoParameters : Parameters;

type Success = { readonly result: 'success'; readonly msg: '' };

type Answer<Declared extends DeclaredSuccess> = Declared extends readonly unknown[]
  ? Response
  : Whole<Success & Static<Declared>>;

type RefusalWithFields<Fields, Code = { readonly code?: never }> = Fields extends unknown
  ? Whole<{ readonly result: 'error'; readonly msg: string } & Code & Readonly<Fields>>
  : never;

type CodedRefusal<Code extends ErrorCode> = Code extends unknown
  ? RefusalWithFields<FieldsOfCode<Code>, { readonly code: Code }>
  : never;

type FieldSchemas = NonNullable<Refusal['fields']>;

/** For a refusal that is not JSON, the client gives only the status. */
type OwnRefusal<Declared> = Declared extends { readonly fields: infer Fields extends FieldSchemas }
  ? RefusalWithFields<{ [Field in keyof Fields]: Static<Fields[Field]> }>
  : never;

type Operations = {
  readonly [Declared in DeclaredEndpoint as NameOf<Declared>]: {
    readonly isBelowRoot: Declared['below'] extends 'root' ? true : false;
    readonly parameters: OrNone<
      Whole<GivenParameters<Declared['parameters'][number]> & GivenFile<Declared>>
    >;
    readonly answer: Answer<Declared['success']>;
    readonly refusal:
      | RefusalWithFields<unknown>
      | RefusalWithFields<SharedRefusalFields>
      | CodedRefusal<ImpliedErrorCode | Declared['errors'][number]>
      | OwnRefusal<Declared['refusals'][number]>;
  };
};

/** For example `POST /messages`. */
export type OperationName = keyof Operations;

/** Operations whose path is not below `/api/v1`. */
export type OperationBelowRoot = {
  [Name in OperationName]: Operations[Name]['isBelowRoot'] extends true ? Name : never;
}[OperationName];

export type ParametersOf<Name extends OperationName> = Operations[Name]['parameters'];

/** The answer's object; the whole `Response` if an operation's answer is not JSON. */
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];

/** The refusals of an operation: `result` is `error`, and the `code` distinguishes them and decides the other members. */
export type RefusalOf<Name extends OperationName> = Operations[Name]['refusal'];

export type AnyRefusal = RefusalOf<OperationName>;

/** Every code of any operation's refusals. */
export type RefusalCode = Extract<AnyRefusal['code'], string>;

/** The refusals with this code, with its members. */
export type RefusalWith<Code extends RefusalCode> = Extract<AnyRefusal, { readonly code: Code }>;

/** An event from the server; `type` distinguishes them. */
export type ServerEvent = AnswerOf<'GET /events'>['events'][number];
