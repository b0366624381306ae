import { interfaceDocument } from '@parley/api/interface-document';
import { AnswerSchemas } from '@parley/api/openapi';
import { parleyVersion } from '@parley/server';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';

type Json = { readonly [key: string]: Json };

const document = interfaceDocument(parleyVersion) as Json;

function refersTo(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' ? [String(member)] : refersTo(member),
  );
}

const schemas = new AnswerSchemas(document);

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Every JSON answer, with the place of its schema and its example. */
const jsonAnswers = Object.entries(document['paths'] ?? {}).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    Object.entries(operation['responses'] ?? {}).flatMap(([status, response]) => {
      const media = response['content']?.['application/json'];
      const place = `/paths/${escaped(path)}/${method}/responses/${status}/content`;
      return media === undefined
        ? []
        : [{ pointer: `${place}/application~1json/schema`, example: media['example'] }];
    }),
  ),
);

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('is refused by the validator if it contains anything unknown to OpenAPI', async () => {
    const wrong = { ...structuredClone(document), paths: { '/x': { get: { responses: 1 } } } };
    expect((await new Validator().validate(wrong)).valid).toBe(false);
  });

  test('has only schemas that compile', () => {
    const named = Object.keys(document['components']?.['schemas'] ?? {}).map(
      (name) => `/components/schemas/${name}`,
    );
    const pointers = [...named, ...jsonAnswers.map(({ pointer }) => pointer)];
    expect(pointers.length).toBeGreaterThan(300);
    for (const pointer of pointers) expect(() => schemas.checkAt(pointer)).not.toThrow();
  });

  test('has examples of answers that fit their schemas', () => {
    const examples = jsonAnswers.filter(({ example }) => example !== undefined);
    expect(examples.length).toBeGreaterThan(80);
    expect(
      examples
        .map(({ pointer, example }) => [pointer, schemas.checkAt(pointer)(example)])
        .filter(([, fault]) => fault !== undefined),
    ).toEqual([]);
  });

  test('defines everything that it refers to, and uses every schema', () => {
    const references = new Set(refersTo(document));
    const sections = Object.entries(document['components'] ?? {}).flatMap(([section, members]) =>
      Object.keys(members).map((name) => `#/components/${section}/${name}`),
    );
    expect([...references].filter((reference) => !sections.includes(reference))).toEqual([]);
    const schemas = sections.filter((section) => section.startsWith('#/components/schemas/'));
    expect(schemas.filter((schema) => !references.has(schema))).toEqual([]);
  });
});
