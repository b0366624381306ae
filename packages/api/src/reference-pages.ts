/**
 * Documentation of the interface for people and programs, which is not part of it: files that the gateway answers itself. Each has its own
 * path, so that no path of a request is ever used as the path of a file.
 */
import { declareEndpoint } from './declare/endpoint.ts';
import { pathText } from './declare/parameters.ts';

const javascript = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';

const forEverybody = {
  method: 'GET',
  service: 'gateway',
  tag: 'Server',
  access: { authentication: 'none' },
  parameters: [],
} as const;

export const referencePages = [
  declareEndpoint({
    ...forEverybody,
    name: 'get-openapi-document',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    success: [{ contentType: 'application/json', description: 'The document' }],
  }),
  declareEndpoint({
    ...forEverybody,
    name: 'get-reference',
    below: 'root',
    path: '/api/docs',
    summary: 'Get the page that shows the document',
    success: [{ contentType: 'text/html; charset=utf-8', description: 'The page' }],
  }),
  declareEndpoint({
    ...forEverybody,
    name: 'get-reference-script',
    below: 'root',
    path: '/api/docs/page.mjs',
    summary: 'Get the script of the page',
    success: [{ contentType: javascript, description: 'The script' }],
  }),
  declareEndpoint({
    ...forEverybody,
    name: 'get-reference-style',
    below: 'root',
    path: '/api/docs/page.css',
    summary: 'Get the style sheet of the page',
    success: [{ contentType: css, description: 'The style sheet' }],
  }),
  declareEndpoint({
    ...forEverybody,
    name: 'get-swagger-ui-script',
    below: 'root',
    path: '/api/docs/swagger-ui-bundle.js',
    summary: 'Get the library of the page',
    success: [{ contentType: javascript, description: 'The library' }],
  }),
  declareEndpoint({
    ...forEverybody,
    name: 'get-swagger-ui-style',
    below: 'root',
    path: '/api/docs/swagger-ui.css',
    summary: 'Get the style sheet of the library',
    success: [{ contentType: css, description: 'The style sheet' }],
  }),
] as const;

/** The mails that a development server keeps in place of sending them (decision 0049). */
export const mailPages = [
  declareEndpoint({
    ...forEverybody,
    name: 'get-kept-mails',
    below: 'root',
    path: '/dev/mails',
    summary: 'Get the page with the mails that a development server kept',
    success: [{ contentType: 'text/html; charset=utf-8', description: 'The page' }],
    forDevelopment: true,
  }),
] as const;

/**
 * Addresses for browsers on their way to an OpenID provider and back (decision 0051). They lead to the web client, which goes on with what
 * follows the hash sign.
 */
export const signOnPages = [
  declareEndpoint({
    ...forEverybody,
    name: 'show-sign-in',
    below: 'root',
    path: '/sso/{provider}/start',
    parameters: [pathText('provider', { description: 'The id of the provider' })],
    summary: 'Begin to sign in by an OpenID provider',
    success: [{ status: 303, description: 'The page that begins the sign-in' }],
  }),
  declareEndpoint({
    ...forEverybody,
    name: 'return-from-sign-in',
    below: 'root',
    path: '/sso/{provider}/callback',
    parameters: [pathText('provider', { description: 'The id of the provider' })],
    summary: 'Come back from an OpenID provider',
    success: [{ status: 303, description: 'The page that finishes the sign-in' }],
  }),
] as const;
