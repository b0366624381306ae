import { apiPathPrefix } from '@parley/api';
import type { Endpoint } from '@parley/api';

/** One of these fits any parameter of a path: an id or a text, or the name of a picture. */
const texts = ['1', 'icon.png', '1.png', `${'a'.repeat(40)}.png`];

/** @returns a path that matches an endpoint, whether or not something exists there */
export function fittingPath({ below, path, parameters }: Endpoint): string {
  const filled = path.replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, (_placeholder, name: string) => {
    const parameter = parameters.find((each) => each.name === name && each.from === 'path');
    const text = texts.find((each) => parameter?.matches(each));
    if (text === undefined) throw new Error(`no known text fits ${name} in ${path}`);
    return text;
  });
  return below === 'api' ? apiPathPrefix + filled : filled;
}
