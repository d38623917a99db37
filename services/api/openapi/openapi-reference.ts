import type { JsonSchema } from "./openapi-components.ts";

interface Parameter extends JsonSchema {
  description?: string;
  example?: unknown;
  required?: boolean;
}
type Operations = Record<string, { parameters?: Parameter[] } | unknown>;
interface Document extends JsonSchema {
  paths: Record<string, Operations>;
  components: JsonSchema & { parameters?: Record<string, Parameter> };
}

/** A parameter that may be left out, with its example as a part of its description; any other as it is. */
function described(given: Parameter): Parameter {
  const { example, ...rest } = given;
  if (example === undefined || given.required === true) return given;
  const text = typeof example === "string" ? example : JSON.stringify(example);
  return { ...rest, description: `${given.description ?? ""} Example: \`${text}\`.`.trim() };
}

/**
 * The form of a document that the readers show (`openapi.json?for=reference`). They send the example of every parameter unless a person
 * takes it away: all filters at once, a cursor of another list, an `If-Match` of another version. So examples of optional parameters are
 * in their descriptions. Everything else is as in the document.
 */
export function referenceDocument(document: object): object {
  const { paths, components, ...rest } = document as Document;
  const withOperations = (operations: Operations) =>
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => {
        const { parameters } = operation as { parameters?: Parameter[] };
        return [method, parameters ? { ...(operation as object), parameters: parameters.map(described) } : operation];
      }),
    );
  const shared = Object.entries(components.parameters ?? {}).map(([name, parameter]) => [name, described(parameter)]);
  return {
    ...rest,
    paths: Object.fromEntries(Object.entries(paths).map(([path, operations]) => [path, withOperations(operations)])),
    components: { ...components, parameters: Object.fromEntries(shared) },
  };
}
