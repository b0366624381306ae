/** Samples for Python, with its standard library only. */
import { ExampleVariable } from '../declare/endpoint-example.ts';
import type { ExampleValue } from '../declare/endpoint-example.ts';

import { literal } from './literals.ts';
import type { LiteralStyle } from './literals.ts';
import { piecesOf, remarksOf } from './sample-request.ts';
import type { NamedValue, SampleRequest } from './sample-request.ts';

const style: LiteralStyle = {
  // The escapes of JSON are also valid in Python.
  text: (text) => JSON.stringify(text),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  key: (key) => JSON.stringify(key),
  variable: ({ name }) => nameOf(name),
  indent: '    ',
  padding: '',
};

function nameOf(variable: string): string {
  return variable.replace(/^PARLEY_/, '').toLowerCase();
}

function fieldValue(value: ExampleValue, depth: number): string {
  if (typeof value === 'boolean') return JSON.stringify(String(value));
  if (typeof value !== 'object' || value === null || value instanceof ExampleVariable)
    return literal(value, style);
  return `json.dumps(${literal(value, style, depth, 30)})`;
}

function fields(values: readonly NamedValue[], depth: number): string {
  const inner = style.indent.repeat(depth + 1);
  const lines = values.map(
    ([name, value]) => `${inner}${JSON.stringify(name)}: ${fieldValue(value, depth + 1)},`,
  );
  return ['{', ...lines, `${style.indent.repeat(depth)}}`].join('\n');
}

function addressOf({ pathTemplate, path, query }: SampleRequest): string {
  const values = new Map(path);
  const filled = pathTemplate.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    piecesOf(values.get(name) ?? '')
      .map((piece) =>
        typeof piece === 'string'
          ? encodeURIComponent(piece).replaceAll('%40', '@')
          : `{${nameOf(piece.name)}}`,
      )
      .join(''),
  );
  return `f"{site}${filled}${query.length === 0 ? '' : '?{query}'}"`;
}

const authorization = '"Basic " + base64.b64encode(f"{email}:{key}".encode()).decode()';

/** The part of a multipart form with a file; the standard library cannot make one. */
function multipart(file: string): string[] {
  return [
    'boundary = uuid.uuid4().hex',
    `with open("${file}", "rb") as file:`,
    '    body = b"\\r\\n".join([',
    '        f"--{boundary}".encode(),',
    `        b'Content-Disposition: form-data; name="file"; filename="${file}"',`,
    '        b"Content-Type: image/png",',
    '        b"",',
    '        file.read(),',
    '        f"--{boundary}--".encode(),',
    '        b"",',
    '    ])',
  ];
}

function preparation(request: SampleRequest): string[] {
  const { as, query, variables, file } = request;
  const own = variables.filter(({ name }) => as === 'nobody' || name !== 'PARLEY_EMAIL');
  return [
    'site = os.environ["PARLEY_SITE"]',
    ...(as === 'nobody'
      ? []
      : ['email = os.environ["PARLEY_EMAIL"]', 'key = os.environ["PARLEY_KEY"]']),
    ...own.map(({ name, type }) => {
      const text = `os.environ["${name}"]`;
      return `${nameOf(name)} = ${type === 'integer' ? `int(${text})` : text}`;
    }),
    ...(query.length === 0 ? [] : [`query = urlencode(${fields(query, 0)})`]),
    ...(file === undefined ? [] : multipart(file)),
  ];
}

function headersOf({ as, headers, json, file }: SampleRequest): string[] {
  return [
    ...(as === 'nobody' ? [] : [`"Authorization": ${authorization}`]),
    ...Object.entries(headers).map(
      ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
    ),
    ...(json === undefined ? [] : ['"Content-Type": "application/json"']),
    ...(file === undefined ? [] : ['"Content-Type": f"multipart/form-data; boundary={boundary}"']),
  ];
}

function dataOf({ form, json, file }: SampleRequest): string | undefined {
  if (file !== undefined) return 'body';
  if (json !== undefined) return `json.dumps(${literal(json, style, 1, 20)}).encode()`;
  return form.length === 0 ? undefined : `urlencode(${fields(form, 1)}).encode()`;
}

function reading({ answer, savedAs }: SampleRequest): string[] {
  switch (answer) {
    case 'json':
      return ['    print(json.dumps(json.load(answer), indent=2))'];
    case 'file':
      return [`    with open("${savedAs}", "wb") as file:`, '        file.write(answer.read())'];
    case 'stream':
      return ['    for line in answer:', '        print(line.decode(), end="", flush=True)'];
    case 'nothing':
      return ['    print(answer.status)'];
  }
}

function imports(text: string): string[] {
  const used = (name: string): boolean => text.includes(`${name}.`);
  return [
    ...['base64', 'json', 'os', 'uuid'].filter(used).map((name) => `import ${name}`),
    ...(text.includes('urlencode(') ? ['from urllib.parse import urlencode'] : []),
    'from urllib.request import Request, urlopen',
  ];
}

/** @returns a script for Python 3 */
export function pythonSample(request: SampleRequest): string {
  const headers = headersOf(request);
  const data = dataOf(request);
  const text = [
    ...preparation(request),
    '',
    'request = Request(',
    `    ${addressOf(request)},`,
    ...(request.method === 'GET' ? [] : [`    method="${request.method}",`]),
    ...(headers.length === 0
      ? []
      : ['    headers={', ...headers.map((header) => `        ${header},`), '    },']),
    ...(data === undefined ? [] : [`    data=${data},`]),
    ')',
    'with urlopen(request) as answer:',
    ...reading(request),
    '',
  ].join('\n');
  return [...remarksOf(request).map((remark) => `# ${remark}`), ...imports(text), '', text].join(
    '\n',
  );
}
