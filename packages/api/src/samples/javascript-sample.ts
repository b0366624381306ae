/** Samples for JavaScript, with `@parley/client`. */
import type { ExampleValue } from '../declare/endpoint-example.ts';

import { literal } from './literals.ts';
import type { LiteralStyle } from './literals.ts';
import { remarksOf } from './sample-request.ts';
import type { SampleRequest } from './sample-request.ts';

function quoted(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

const style: LiteralStyle = {
  text: quoted,
  word: String,
  key: (key) => (/^[A-Za-z_]\w*$/.test(key) ? key : quoted(key)),
  variable: ({ name }) => nameOf(name),
  indent: '  ',
  padding: ' ',
};

function nameOf(variable: string): string {
  return variable
    .replace(/^PARLEY_/, '')
    .toLowerCase()
    .replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function preparation({ as, variables, file }: SampleRequest): string[] {
  return [
    ...(as === 'nobody'
      ? ['const client = new ParleyClient({ site: process.env.PARLEY_SITE });']
      : [
          'const client = new ParleyClient({',
          '  site: process.env.PARLEY_SITE,',
          '  email: process.env.PARLEY_EMAIL,',
          '  apiKey: process.env.PARLEY_KEY,',
          '});',
        ]),
    ...variables.map(({ name, type }) => {
      const text = `process.env.${name}`;
      return `const ${nameOf(name)} = ${type === 'integer' ? `Number(${text})` : text};`;
    }),
    ...(file === undefined
      ? []
      : [`const file = new File([await readFile('${file}')], '${file}', { type: 'image/png' });`]),
  ];
}

/** A property is shortened if its variable has the same name. */
function shortened(text: string): string {
  return text.replaceAll(/\b(\w+): \1\b/g, '$1');
}

function call(request: SampleRequest): string {
  const { operation, path, query, form, json, headers, file, answer } = request;
  const given: Record<string, ExampleValue> = {
    ...Object.fromEntries([...path, ...query, ...form]),
    ...(json === undefined ? {} : { body: json }),
  };
  const options: Record<string, ExampleValue> = {
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    // The sample stops after this many events.
    ...(answer === 'stream' ? { timeoutMs: 600_000 } : {}),
  };
  const before = `const answer = await client.request('${operation}', `.length;
  const hasOptions = Object.keys(options).length > 0;
  const parameters = shortened(literal(given, style, 0, before));
  const withFile =
    file === undefined
      ? parameters
      : Object.keys(given).length === 0
        ? '{ file }'
        : parameters.replace(/,?\s*\}$/, ', file }');
  const isEmpty = withFile === '{}' && !hasOptions;
  return [
    `const answer = await client.request(${quoted(operation)}`,
    ...(isEmpty ? [] : [`, ${withFile}`]),
    ...(hasOptions ? [`, ${literal(options, style)}`] : []),
    ');',
  ].join('');
}

function reading({ answer, savedAs }: SampleRequest): string[] {
  switch (answer) {
    case 'json':
      return ['console.log(JSON.stringify(answer, null, 2));'];
    case 'file':
      return [`await writeFile('${savedAs}', await answer.bytes());`];
    case 'stream':
      return [
        'for await (const piece of answer.body.pipeThrough(new TextDecoderStream()))',
        '  process.stdout.write(piece);',
      ];
    case 'nothing':
      return ['console.log(answer.status);'];
  }
}

/** @returns a module for Node */
export function javascriptSample(request: SampleRequest): string {
  const ofFiles = [
    ...(request.file === undefined ? [] : ['readFile']),
    ...(request.answer === 'file' ? ['writeFile'] : []),
  ];
  return [
    ...remarksOf(request).map((remark) => `// ${remark}`),
    ...(ofFiles.length === 0
      ? []
      : [`import { ${ofFiles.join(', ')} } from 'node:fs/promises';`, '']),
    "import { ParleyClient } from '@parley/client';",
    '',
    ...preparation(request),
    '',
    call(request),
    ...reading(request),
    '',
  ].join('\n');
}
