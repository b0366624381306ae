import { endpoints } from '../endpoints.ts';
import { withExamples } from './document-examples.ts';
import { introduction } from './introduction.ts';
import { openApiDocument } from './openapi.ts';

/**
 * Makes the OpenAPI document of the whole interface, with examples and recorded answers: a megabyte of JSON.
 *
 * @param version of the server
 */
export function interfaceDocument(version: string): Readonly<Record<string, unknown>> {
  const described = openApiDocument(endpoints, {
    title: 'Parley',
    version,
    description: introduction,
  });
  return {
    ...withExamples(described, endpoints),
    // The site that the document was read from, whatever its address is.
    servers: [{ url: '/', description: 'The server that this document comes from' }],
  };
}
