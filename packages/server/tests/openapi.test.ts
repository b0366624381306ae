import { describe, expect, it } from 'vitest';

import { openApiDocument } from '@parley/api/openapi';
import { sampleEndpoints } from './sample-app.ts';

describe('openApiDocument', () => {
  const document = openApiDocument(
    sampleEndpoints.map(({ endpoint }) => endpoint),
    { title: 'Sample', version: '1' },
  );
  const paths = document['paths'] as Record<string, Record<string, Record<string, unknown>>>;

  it('has every path and method of the declarations', () => {
    expect(Object.keys(paths).toSorted()).toEqual([
      '/api/v1/admitted',
      '/api/v1/external/sample',
      '/api/v1/fail',
      '/api/v1/held',
      '/api/v1/samples',
      '/api/v1/samples/me',
      '/api/v1/samples/{email}/name',
      '/api/v1/samples/{sample_id}',
    ]);
    expect(Object.keys(paths['/api/v1/samples'] ?? {})).toEqual(['get', 'post']);
  });

  it('describes query parameters, JSON texts and defaults', () => {
    const parameters = paths['/api/v1/samples']?.['get']?.['parameters'] as Record<
      string,
      unknown
    >[];
    expect(parameters.map(({ name }) => name)).toEqual([
      'num_before',
      'anchor',
      'client_gravatar',
      'event_types',
    ]);
    expect(parameters[0]).toMatchObject({
      in: 'query',
      required: true,
      schema: { type: 'integer', minimum: 0 },
    });
    expect(parameters[3]).toHaveProperty(['content', 'application/json']);
  });

  it('describes forms, the envelope, errors and security', () => {
    const post = paths['/api/v1/samples']?.['post'] as Record<string, unknown>;
    expect(post['requestBody']).toHaveProperty([
      'content',
      'multipart/form-data',
      'schema',
      'properties',
      'topic',
    ]);
    const get = paths['/api/v1/samples']?.['get'];
    expect(get?.['security']).toEqual([{ basic: [] }]);
    expect(get).toHaveProperty(
      ['responses', '200', 'content', 'application/json', 'schema', 'required'],
      ['result', 'msg', 'num_before', 'client'],
    );
    expect(get).toHaveProperty(['responses', '400']);
    expect(get).toHaveProperty(['responses', '503']);
    expect(paths['/api/v1/samples/me']?.['get']?.['security']).toEqual([]);
  });

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
});
