/** Shows the OpenAPI document with Swagger UI, and the examples of each operation. Plain JavaScript that browsers run unchanged. */

/** The last chosen language, used for every operation opened afterwards. */
let chosenLanguage;

/** A panel with the examples of one operation, one language at a time. */
function makeCodeSamples({ createElement, useState }) {
  return function CodeSamples({ samples }) {
    const labels = samples.map((sample) => sample.get('label'));
    const [label, setLabel] = useState(
      labels.includes(chosenLanguage) ? chosenLanguage : labels[0],
    );
    const choose = (chosen) => {
      chosenLanguage = chosen;
      setLabel(chosen);
    };
    const shown = samples.find((sample) => sample.get('label') === label);
    return createElement(
      'section',
      { className: 'code-samples' },
      createElement('h4', null, 'Example'),
      createElement(
        'div',
        { className: 'languages', role: 'tablist' },
        labels.map((each) =>
          createElement(
            'button',
            {
              key: each,
              type: 'button',
              role: 'tab',
              'aria-selected': each === label,
              onClick: () => choose(each),
            },
            each,
          ),
        ),
      ),
      createElement('pre', { role: 'tabpanel' }, shown?.get('source')),
    );
  };
}

/** Shows the examples above the answers of an operation, and sends no empty fields. */
function referencePlugin({ React, specSelectors }) {
  const { createElement, Fragment } = React;
  const CodeSamples = makeCodeSamples(React);
  return {
    wrapComponents: {
      // An empty field is not sent, unless the user ticks the box beside it.
      ParameterIncludeEmpty: (ParameterIncludeEmpty) =>
        function IncludedIfChosen(props) {
          const isIncludedOptions = { ...props.isIncludedOptions, defaultValue: false };
          return createElement(ParameterIncludeEmpty, { ...props, isIncludedOptions });
        },
      responses: (Responses) =>
        function ResponsesWithSamples(props) {
          const samples = specSelectors
            .specJson()
            .getIn(['paths', props.path, props.method, 'x-codeSamples']);
          return createElement(
            Fragment,
            null,
            samples && createElement(CodeSamples, { samples: samples.toArray() }),
            createElement(Responses, props),
          );
        },
    },
  };
}

/** A field of a form on the page. JSON is a text field, and a field is filled in only if the example has a value. */
function formField(schema, isJson, value) {
  const { default: _default, ...rest } = schema;
  const filled = value === undefined ? '' : isJson ? JSON.stringify(value) : value;
  return isJson
    ? {
        type: 'string',
        format: `JSON ${schema.type ?? ''}`,
        description: schema.description,
        example: filled,
      }
    : { ...rest, example: filled };
}

function formForPage({ schema, encoding = {}, example = {} }) {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    property.format === 'binary'
      ? property
      : formField(property, encoding[name]?.contentType === 'application/json', example[name]),
  ]);
  const sent = Object.entries(example).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return {
    schema: { ...schema, properties: Object.fromEntries(properties) },
    example: Object.fromEntries(sent),
    encoding,
  };
}

/**
 * The library sends lists in forms in its own way, and invents a value for every field. The page should send the example and nothing else.
 */
function documentForPage(document) {
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      const content = operation?.requestBody?.content ?? {};
      for (const [type, media] of Object.entries(content))
        if (type !== 'application/json') content[type] = formForPage(media);
    }
  }
  return document;
}

/** The library has dark colours, but does not ask what the reader prefers. */
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function followPreference() {
  document.documentElement.classList.toggle('dark-mode', prefersDark.matches);
}

followPreference();
prefersDark.addEventListener('change', followPreference);

const loaded = await fetch('/api/v1/openapi.json', { credentials: 'omit' });

globalThis.SwaggerUIBundle({
  spec: documentForPage(await loaded.json()),
  dom_id: '#reference',
  plugins: [referencePlugin],
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  validatorUrl: null,
  // The examples of the document replace the commands that the library would generate.
  requestSnippetsEnabled: false,
  // Without cookies, and without the browser's own dialogue if credentials are refused.
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
});
