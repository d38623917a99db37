/** The parts of JSON Schema that the document of the API uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  description?: string;
  format?: string;
  contentMediaType?: string;
  contentSchema?: Schema;
}

/** A parameter as the document has it: in place, or a reference to one of the shared headers. */
export interface DocumentParameter {
  $ref?: string;
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

/** One operation of the document. */
export interface DocumentOperation {
  operationId: string;
  /** Dotted name in the clients, such as `companies.groups.list`. */
  "x-sdk-name": string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: DocumentParameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

/** What the generators read of `/api/openapi.json`. */
export interface Document {
  info: { version: string };
  tags?: { name: string; "x-displayName"?: string }[];
  paths: Record<string, Record<string, DocumentOperation>>;
  webhooks: Record<string, { post: Omit<DocumentOperation, "x-sdk-name"> }>;
  components: { schemas: Record<string, Schema> };
}

const PREFIX = "#/components/schemas/";

/** The name of a component that a reference points to. */
export function componentOf(reference: string): string {
  if (!reference.startsWith(PREFIX)) throw new Error(`The generators cannot follow the reference ${reference}.`);
  return reference.slice(PREFIX.length);
}

/** The schemas that a schema holds directly. */
export function innerOf(schema: Schema): Schema[] {
  const { anyOf = [], oneOf = [], allOf = [], properties = {}, items, additionalProperties, contentSchema } = schema;
  const more = typeof additionalProperties === "object" ? additionalProperties : undefined;
  return [...anyOf, ...oneOf, ...allOf, ...Object.values(properties), items, more, contentSchema].filter(
    (one) => one !== undefined,
  );
}

/** The names of all components that some schemas need, directly or through others, sorted. */
export function neededComponents(document: Document, roots: Schema[]): string[] {
  const found = new Set<string>();
  const visit = (schema: Schema) => {
    if (schema.$ref) {
      const name = componentOf(schema.$ref);
      if (found.has(name)) return;
      found.add(name);
      const component = document.components.schemas[name];
      if (!component) throw new Error(`The document has no schema ${name}.`);
      visit(component);
    }
    innerOf(schema).forEach(visit);
  };
  roots.forEach(visit);
  return [...found].sort();
}
