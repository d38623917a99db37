import {
  componentOf,
  type Document,
  type DocumentOperation,
  type DocumentParameter,
  neededComponents,
  type Schema,
} from "./document.ts";

/** What an operation sends: `form` is URL-encoded. */
export type BodyKind = "json" | "multipart" | "form";
/** What an operation answers: `page` is one page of a list, `file` bytes of any kind, `events` server-sent events. */
export type AnswerKind = "json" | "page" | "none" | "file" | "events";

/** An operation as both clients offer it. */
export interface Operation {
  /** `companies.groups.list` */
  name: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  pathParameters: DocumentParameter[];
  query: DocumentParameter[];
  body?: { kind: BodyKind; schema: Schema; required: boolean };
  answer: {
    kind: AnswerKind;
    schemas: Schema[];
    /** Rows of a page. */
    item?: Schema;
    /** Whether it can also be 204, without a body. */
    mayBeEmpty: boolean;
  };
  /** Whether it takes an `Idempotency-Key`, so that it can be repeated. */
  takesKey: boolean;
  takesMatch: boolean;
}

/** An event of webhooks: its name, meaning, and the schema of the whole message. */
export interface WebhookEvent {
  type: string;
  /** The name of its message, such as `webhookCompanyCreated`. */
  name: string;
  description: string;
  schema: Schema;
}

/** What both clients are written from. */
export interface Model {
  version: string;
  /** What the first words of the operations' names mean to people, such as `Clients` for `companies`. */
  areas: Map<string, string>;
  schemas: Map<string, Schema>;
  operations: Operation[];
  events: WebhookEvent[];
}

const BODIES: Record<string, BodyKind> = {
  "application/json": "json",
  "multipart/form-data": "multipart",
  "application/x-www-form-urlencoded": "form",
};

function bodyOf({ requestBody }: DocumentOperation): Operation["body"] {
  if (!requestBody) return undefined;
  for (const [type, { schema = {} }] of Object.entries(requestBody.content)) {
    const kind = BODIES[type];
    if (kind) return { kind, schema, required: requestBody.required ?? false };
  }
  throw new Error(`No client can send ${Object.keys(requestBody.content).join(", ")}.`);
}

/** The schema of the rows if an answer is a page of a list that a cursor continues. */
function itemOf(document: Document, schema: Schema): Schema | undefined {
  const target = schema.$ref ? document.components.schemas[componentOf(schema.$ref)] : schema;
  const { items, next_cursor } = target?.properties ?? {};
  return next_cursor && items?.items;
}

function answerOf(document: Document, { responses }: DocumentOperation, query: DocumentParameter[]): Operation["answer"] {
  const good = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const contents = good.flatMap(([, { content }]) => Object.entries(content ?? {}));
  const mayBeEmpty = good.some(([, { content }]) => content === undefined);
  const schemas = contents.map(([, { schema = {} }]) => schema);
  const types = contents.map(([type]) => type);
  const all = (type: string) => types.every((one) => one === type);
  if (types.length === 0) return { kind: "none", schemas, mayBeEmpty };
  if (all("text/event-stream")) return { kind: "events", schemas, mayBeEmpty };
  if (!all("application/json")) return { kind: "file", schemas, mayBeEmpty };
  const item = query.some(({ name }) => name === "cursor") ? itemOf(document, schemas[0] as Schema) : undefined;
  return item ? { kind: "page", schemas, item, mayBeEmpty } : { kind: "json", schemas, mayBeEmpty };
}

function operationOf(document: Document, method: string, path: string, operation: DocumentOperation): Operation {
  const given = operation.parameters ?? [];
  const query = given.filter((one) => one.in === "query");
  const header = (name: string) => given.some(({ $ref }) => $ref === `#/components/parameters/${name}`);
  return {
    name: operation["x-sdk-name"],
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? "",
    description: operation.description ?? "",
    pathParameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => {
      const parameter = given.find((one) => one.in === "path" && one.name === name);
      if (!parameter) throw new Error(`${operation.operationId} does not describe its parameter ${name}.`);
      return parameter;
    }),
    query,
    body: bodyOf(operation),
    answer: answerOf(document, operation, query),
    takesKey: header("Idempotency-Key"),
    takesMatch: header("If-Match"),
  };
}

/** The display names of the tags, by the first word of their operations. */
function areasOf({ paths, tags = [] }: Document): Map<string, string> {
  const names = new Map(tags.map((tag) => [tag.name, tag["x-displayName"] ?? tag.name]));
  const areas = new Map<string, string>();
  for (const { "x-sdk-name": name, tags: [tag] = [] } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const [area = ""] = name.split(".");
    const meaning = tag === undefined ? undefined : names.get(tag);
    if (meaning !== undefined && !areas.has(area)) areas.set(area, meaning);
  }
  return areas;
}

/** Stops at a name that two operations have, or that is an operation and a group of operations at once. */
function checkNames(names: string[]) {
  const groups = new Set<string>();
  for (const name of names) {
    const parts = name.split(".");
    for (let end = 1; end < parts.length; end += 1) groups.add(parts.slice(0, end).join("."));
  }
  const wrong = names.filter((name, index) => groups.has(name) || names.indexOf(name) !== index);
  if (wrong.length > 0) throw new Error(`These names are not those of one operation: ${wrong.join(", ")}.`);
}

/**
 * Reads the document of the API. Operations without an answer of 2xx are left out: they redirect a browser.
 * @throws Error if names collide or a schema is missing
 */
export function modelOf(document: Document): Model {
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method, one })))
    .filter(({ one }) => Object.keys(one.responses).some((status) => status.startsWith("2")))
    .map(({ path, method, one }) => operationOf(document, method, path, one))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  checkNames(operations.map(({ name }) => name));
  const events = Object.entries(document.webhooks).map(([type, { post }]) => ({
    type,
    name: post.operationId,
    description: post.description ?? "",
    schema: post.requestBody?.content["application/json"]?.schema ?? {},
  }));
  const roots = operations.flatMap(({ body, answer, query, pathParameters }) => [
    ...(body ? [body.schema] : []),
    ...(answer.kind === "file" ? [] : answer.schemas),
    ...[...query, ...pathParameters].map(({ schema }) => schema),
  ]);
  const names = neededComponents(document, [...roots, ...events.map(({ schema }) => schema)]);
  const schemas = new Map(names.map((name) => [name, document.components.schemas[name] as Schema]));
  return { version: document.info.version, areas: areasOf(document), schemas, operations, events };
}
