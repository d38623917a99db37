// Prints the shares of described properties and parameters and of JSON bodies with an example in an OpenAPI document; status 1 below 100 %.
//   node .ci/described.mjs <openapi.json>
import { readFileSync } from "node:fs";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const counts = { properties: [0, 0], parameters: [0, 0], "JSON bodies with an example": [0, 0] };
const count = (kind, isComplete) => {
  counts[kind][0] += isComplete ? 1 : 0;
  counts[kind][1] += 1;
};

function schema(given) {
  if (typeof given !== "object" || given === null) return;
  for (const property of Object.values(given.properties ?? {})) {
    count("properties", Boolean(property.description));
    schema(property);
  }
  for (const key of ["items", "additionalProperties", "contentSchema", "not"]) schema(given[key]);
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) for (const part of given[key] ?? []) schema(part);
}

function body({ content = {} } = {}) {
  for (const [type, given] of Object.entries(content)) {
    schema(given.schema);
    if (/\bjson$/.test(type)) count("JSON bodies with an example", "example" in given || "examples" in given);
  }
}

const operations = (paths) => Object.values(paths ?? {}).flatMap((methods) => Object.values(methods));
const { schemas = {}, parameters = {}, responses = {} } = document.components;
for (const given of Object.values(schemas)) schema(given);
for (const parameter of Object.values(parameters)) count("parameters", Boolean(parameter.description));
for (const answer of Object.values(responses)) body(answer);
for (const operation of [...operations(document.paths), ...operations(document.webhooks)]) {
  for (const parameter of operation.parameters ?? []) if (!parameter.$ref) count("parameters", Boolean(parameter.description));
  body(operation.requestBody);
  for (const answer of Object.values(operation.responses)) body(answer);
}

for (const [kind, [complete, all]] of Object.entries(counts)) {
  process.stdout.write(`${kind}: ${complete} of ${all} (${Math.floor((1000 * complete) / all) / 10} %)\n`);
  if (complete < all) process.exitCode = 1;
}
