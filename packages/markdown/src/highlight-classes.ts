/**
 * Scopes of the highlighter, and for each the Pygments short class that clients colour instead (reference facts, markdown 2.8). Only
 * colouring depends on it.
 */
const classes: Record<string, string> = {
  keyword: 'k',
  built_in: 'nb',
  type: 'kt',
  literal: 'kc',
  number: 'mi',
  operator: 'o',
  punctuation: 'p',
  property: 'py',
  regexp: 'sr',
  string: 's2',
  'char.escape': 'se',
  subst: 'si',
  symbol: 'ss',
  class: 'nc',
  function: 'nf',
  variable: 'nv',
  'variable.language': 'bp',
  'variable.constant': 'no',
  title: 'nf',
  'title.class': 'nc',
  'title.class.inherited': 'nc',
  'title.function': 'nf',
  'title.function.invoke': 'nf',
  comment: 'c1',
  doctag: 'sd',
  meta: 'cp',
  'meta.prompt': 'gp',
  section: 'gh',
  tag: 'nt',
  name: 'nt',
  attr: 'na',
  attribute: 'na',
  bullet: 'o',
  code: 's1',
  emphasis: 'ge',
  strong: 'gs',
  formula: 's',
  link: 's1',
  quote: 'c1',
  'selector-tag': 'nt',
  'selector-id': 'nn',
  'selector-class': 'nc',
  'selector-attr': 'na',
  'selector-pseudo': 'nd',
  'template-tag': 'cp',
  'template-variable': 'nv',
  addition: 'gi',
  deletion: 'gd',
};

/** Any name is a valid class for text that only must stay grouped. */
const fallbackClass = 'n';

/**
 * @param scope The highlighter's class attribute, such as `hljs-title function_`.
 */
export function pygmentsClass(scope: string): string {
  const dotted = scope
    .replace(/^hljs-/, '')
    .replaceAll(/_* (\w+?)_*(?= |$)/g, '.$1')
    .replace(/_$/, '');
  return classes[dotted] ?? classes[dotted.split('.')[0] ?? ''] ?? fallbackClass;
}
