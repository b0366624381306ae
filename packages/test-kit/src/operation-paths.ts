import { isJsonObject } from './answer-checks.ts';
import type { JsonObject } from './answer-checks.ts';

type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'any' | 'integer' };

type PathTemplate = {
  readonly template: string;
  readonly item: JsonObject;
  readonly segments: readonly Segment[];
  readonly isPrefix: boolean;
};

function isIntegerParameter(item: JsonObject, name: string): boolean {
  return Object.values(item).some(
    (operation) =>
      isJsonObject(operation) &&
      Array.isArray(operation['parameters']) &&
      operation['parameters'].some(
        (parameter: unknown) =>
          isJsonObject(parameter) &&
          parameter['in'] === 'path' &&
          parameter['name'] === name &&
          isJsonObject(parameter['schema']) &&
          parameter['schema']['type'] === 'integer',
      ),
  );
}

function segmentOf(text: string, item: JsonObject): Segment {
  if (!text.startsWith('{')) return { kind: 'literal', text };
  return { kind: isIntegerParameter(item, text.slice(1, -1)) ? 'integer' : 'any' };
}

function matches(segment: Segment | undefined, text: string): boolean {
  switch (segment?.kind) {
    case 'literal':
      return segment.text === text;
    case 'integer':
      return /^\d+$/.test(text);
    case 'any':
      return text !== '';
    default:
      return true;
  }
}

/** @returns the segments, decoded; none if an escape is broken */
function decoded(path: string): readonly string[] | undefined {
  try {
    return path
      .replaceAll(/\/{2,}/g, '/')
      .slice(1)
      .split('/')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Finds the operations of a path in the document. */
export class OperationPaths {
  readonly #templates: readonly PathTemplate[];

  constructor(paths: Readonly<Record<string, JsonObject>>) {
    this.#templates = Object.entries(paths).map(([template, item]) => ({
      template,
      item,
      segments: template
        .slice(1)
        .split('/')
        .map((text) => segmentOf(text, item)),
      isPrefix: item['x-parley-prefix'] === true,
    }));
  }

  /** @returns the matching templates of the path; if one has no parameters, only that one */
  find(path: string): readonly PathTemplate[] {
    const segments = decoded(path);
    if (segments === undefined) return [];
    const found = this.#templates.filter(
      (candidate) =>
        (candidate.isPrefix
          ? segments.length >= candidate.segments.length
          : segments.length === candidate.segments.length) &&
        segments.every((text, index) => matches(candidate.segments[index], text)),
    );
    const literal = found.find(({ template }) => !template.includes('{'));
    return literal === undefined ? found : [literal];
  }
}
