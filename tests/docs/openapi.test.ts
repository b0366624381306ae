import { AnswerSchemas } from '@parley/http';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';

import { wholeOpenApiDocument } from './generated-pages.ts';

type Json = { readonly [key: string]: Json };

const document = wholeOpenApiDocument() as Json;

function refersTo(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' ? [String(member)] : refersTo(member),
  );
}

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('is refused by the validator once it says something that OpenAPI does not know', async () => {
    const wrong = { ...structuredClone(document), paths: { '/x': { get: { responses: 1 } } } };
    expect((await new Validator().validate(wrong)).valid).toBe(false);
  });

  test('has only schemas that compile', () => {
    const schemas = new AnswerSchemas(document);
    const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
    const pointers = [
      ...Object.keys(document['components']?.['schemas'] ?? {}).map(
        (name) => `/components/schemas/${name}`,
      ),
      ...Object.entries(document['paths'] ?? {}).flatMap(([path, item]) =>
        Object.entries(item).flatMap(([method, operation]) =>
          Object.entries(operation['responses'] ?? {}).flatMap(([status, response]) =>
            response['content']?.['application/json'] === undefined
              ? []
              : `/paths/${escaped(path)}/${method}/responses/${status}/content/application~1json/schema`,
          ),
        ),
      ),
    ];
    expect(pointers.length).toBeGreaterThan(300);
    for (const pointer of pointers) expect(() => schemas.checkAt(pointer)).not.toThrow();
  });

  test('has everything that it refers to, and refers to every schema that it has', () => {
    const references = new Set(refersTo(document));
    const sections = Object.entries(document['components'] ?? {}).flatMap(([section, members]) =>
      Object.keys(members).map((name) => `#/components/${section}/${name}`),
    );
    expect([...references].filter((reference) => !sections.includes(reference))).toEqual([]);
    const schemas = sections.filter((section) => section.startsWith('#/components/schemas/'));
    expect(schemas.filter((schema) => !references.has(schema))).toEqual([]);
  });
});
