/** Shows the OpenAPI document with Swagger UI, and beside each operation its examples. Plain JavaScript, run by browsers as it is. */

/** The language chosen last holds for every operation that is opened afterwards. */
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

/** Puts the examples above the answers of an operation. */
function codeSamplesPlugin({ React, specSelectors }) {
  const { createElement, Fragment } = React;
  const CodeSamples = makeCodeSamples(React);
  return {
    wrapComponents: {
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

globalThis.SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#reference',
  plugins: [codeSamplesPlugin],
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  validatorUrl: null,
  // The examples of the document take the place of commands that the library would make up.
  requestSnippetsEnabled: false,
  // No cookies, and no question of the browser's own where credentials are refused.
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
});
