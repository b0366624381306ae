/** Samples for curl. */
import { ExampleVariable } from '../declare/endpoint-example.ts';

import { bodyPiecesOf, piecesOf, remarksOf } from './sample-request.ts';
import type { NamedValue, SampleRequest } from './sample-request.ts';

type Piece = string | ExampleVariable;

function joined(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (typeof piece === 'string' && typeof last === 'string')
      merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  return merged;
}

/** One word of a POSIX shell. */
function word(pieces: readonly Piece[]): string {
  return joined(pieces)
    .map((piece) => {
      if (piece instanceof ExampleVariable) return `"$${piece.name}"`;
      return /^[\w.,:/@=-]+$/.test(piece) ? piece : `'${piece.replaceAll("'", String.raw`'\''`)}'`;
    })
    .join('');
}

function inAddress(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) =>
      typeof piece === 'string'
        ? encodeURIComponent(piece).replaceAll('%40', '@')
        : `$${piece.name}`,
    )
    .join('');
}

function address({ pathTemplate, path, query, method }: SampleRequest): string {
  const values = new Map(path);
  const filled = pathTemplate.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    inAddress(piecesOf(values.get(name) ?? '')),
  );
  const shown =
    method === 'GET'
      ? ''
      : query.map(([name, value]) => `${name}=${inAddress(piecesOf(value))}`).join('&');
  return `"$PARLEY_SITE${filled}${shown === '' ? '' : `?${shown}`}"`;
}

/** Characters that need no encoding, and cannot make a file name. */
function isPlain(pieces: readonly Piece[]): boolean {
  return pieces.every((piece) => typeof piece === 'string' && /^[\w.-]*$/.test(piece));
}

function field([name, value]: NamedValue): string {
  const pieces = piecesOf(value);
  return `${isPlain(pieces) ? '-d' : '--data-urlencode'} ${word([`${name}=`, ...pieces])}`;
}

/** @returns a command for a POSIX shell */
export function curlSample(request: SampleRequest): string {
  const { method, as, query, form, json, headers, file, answer, savedAs } = request;
  const fields = method === 'GET' ? query : form;
  const hasBody = fields.length > 0 || json !== undefined || file !== undefined;
  const isImplied = method === 'GET' || (method === 'POST' && hasBody);
  const options = [
    ...Object.entries(headers).map(([name, value]) => `-H ${word([`${name}: ${value}`])}`),
    ...fields.map(field),
    ...(json === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${word(bodyPiecesOf(json))}`]),
    ...(file === undefined ? [] : [`-F file=@${file}`]),
    ...(answer === 'file' ? [`-L -o ${savedAs}`] : []),
  ];
  const call = [
    'curl -sS --fail-with-body',
    ...(answer === 'stream' ? ['-N'] : []),
    ...(as === 'nobody' ? [] : ['-u "$PARLEY_EMAIL:$PARLEY_KEY"']),
    ...(isImplied ? [] : [`-X ${method}`]),
    ...(method === 'GET' && fields.length > 0 ? ['-G'] : []),
    address(request),
  ].join(' ');
  return [
    ...remarksOf(request).map((remark) => `# ${remark}`),
    [call, ...options].join(' \\\n  '),
    '',
  ].join('\n');
}
