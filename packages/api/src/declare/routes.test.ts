import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { declareEndpoint } from './endpoint.ts';
import type { Endpoint, EndpointMethod } from './endpoint.ts';
import { pathInteger, pathText } from './parameters.ts';
import { placeholdersOf } from './path.ts';
import { RouteTable } from './routes.ts';
import { object } from './schema.ts';

function endpoint(
  method: EndpointMethod,
  path: string,
  more: { readonly name?: string; readonly matching?: 'prefix' } = {},
): { readonly endpoint: Endpoint } {
  return {
    endpoint: declareEndpoint({
      name: `${method} ${path}`,
      method,
      path,
      below: 'root',
      service: 'messages',
      tag: 'Server',
      summary: 'Nothing',
      access: { authentication: 'none' },
      parameters: placeholdersOf(path).map((name) =>
        name === 'id'
          ? pathInteger(name, { description: 'A number' })
          : pathText(name, { description: 'A text' }),
      ),
      success: object({}),
      ...more,
    }),
  };
}

function tableOf(...paths: readonly string[]): (path: string) => unknown {
  const table = new RouteTable(paths.map((path) => endpoint('GET', path)));
  return (path) => {
    const match = table.find(path);
    return match === undefined ? undefined : [match.route.pattern, match.path];
  };
}

describe('a path', () => {
  it('matches literal segments before parameters', () => {
    const find = tableOf('/users/{email}', '/users/me', '/users/me/{id}', '/{any}/me/{email}');
    expect(find('/users/me')).toEqual(['/users/me', {}]);
    expect(find('/users/you')).toEqual(['/users/{email}', { email: 'you' }]);
    expect(find('/users/me/5')).toEqual(['/users/me/{id}', { id: '5' }]);
    expect(find('/users/me/x')).toEqual(['/{any}/me/{email}', { any: 'users', email: 'x' }]);
  });

  it('may match all remaining segments, at least one', () => {
    const find = tableOf('/files/{id}/{path...}', '/files/{id}/{name}/size');
    expect(find('/files/1/a%20b/c')).toEqual(['/files/{id}/{path...}', { id: '1', path: 'a b/c' }]);
    expect(find('/files/1/a/size')).toEqual(['/files/{id}/{name}/size', { id: '1', name: 'a' }]);
    expect(find('/files/1')).toBeUndefined();
    expect(find('/files/1/')).toBeUndefined();
    expect(find('/files/x/a')).toBeUndefined();
  });

  it('matches everything below it if it is a prefix', () => {
    const table = new RouteTable([
      endpoint('ANY', '/external/x', { matching: 'prefix' }),
      endpoint('GET', '/external/x/{name}/y'),
    ]);
    const patternOf = (path: string): string | undefined => table.find(path)?.route.pattern;
    for (const path of ['/external/x', '/external/x/', '/external/x/a/b/c/d'])
      expect(patternOf(path)).toBe('/external/x');
    expect(patternOf('/external/xy')).toBeUndefined();
    expect(patternOf('/external')).toBeUndefined();
  });

  it('does not match with an empty parameter or an escape that cannot be decoded', () => {
    const find = tableOf('/users/{email}/presence');
    expect(find('/users/a%40b/presence')).toEqual(['/users/{email}/presence', { email: 'a@b' }]);
    for (const email of ['', '%', '%ff', '%00'])
      expect(find(`/users/${email}/presence`)).toBeUndefined();
  });

  it('is found as if every pattern were tried in order', () => {
    const segment = fc.constantFrom('a', 'b', '1', '{id}', '{name}');
    const pathOf = (segments: readonly string[]): string =>
      `/${segments.map((text, index) => text.replace('{name}', `{name${index}}`)).join('/')}`;
    const given = fc.array(fc.constantFrom('a', 'b', '1', 'c', ''), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(fc.array(segment, { minLength: 1, maxLength: 4 }).filter(hasOneId), {
          maxLength: 12,
        }),
        given,
        (declared, texts) => {
          const paths = [...new Set(declared.map(pathOf))];
          const fits = paths.filter((path) => fitsPattern(path.slice(1).split('/'), texts));
          const found = tableOf(...paths)(`/${texts.join('/')}`);
          if (fits.length === 0) expect(found).toBeUndefined();
          else expect(fits).toContain((found as readonly string[])[0]);
        },
      ),
    );
  });
});

function hasOneId(segments: readonly string[]): boolean {
  return segments.filter((text) => text === '{id}').length <= 1;
}

function fitsPattern(segments: readonly string[], texts: readonly string[]): boolean {
  return (
    segments.length === texts.length &&
    segments.every((segment, index) => {
      const text = texts[index] ?? '';
      if (segment === '{id}') return /^\d+$/.test(text);
      return segment.startsWith('{') ? text !== '' : segment === text;
    })
  );
}

describe('the methods of a path', () => {
  it('have one order, however they are declared', () => {
    const table = new RouteTable([
      endpoint('DELETE', '/a'),
      endpoint('PUT', '/a'),
      endpoint('GET', '/a'),
      endpoint('POST', '/b'),
      endpoint('ANY', '/c'),
    ]);
    const allowed = (path: string): unknown => table.find(path)?.route.allowedMethods;
    expect(allowed('/a')).toEqual(['GET', 'PUT', 'DELETE', 'HEAD']);
    expect(allowed('/b')).toEqual(['POST']);
    expect(allowed('/c')).toEqual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']);
  });

  it('have one endpoint each, with a unique name', () => {
    const twice = [endpoint('GET', '/a'), endpoint('GET', '/a', { name: 'other' })];
    expect(() => new RouteTable(twice)).toThrow('/a has two endpoints for one method');
    const beside = [endpoint('ANY', '/a'), endpoint('GET', '/a')];
    expect(() => new RouteTable(beside)).toThrow('/a has two endpoints for one method');
    const named = [endpoint('GET', '/a', { name: 'x' }), endpoint('GET', '/b', { name: 'x' })];
    expect(() => new RouteTable(named)).toThrow('two endpoints are named x');
  });
});
