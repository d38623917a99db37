import { isConditional, pathParameters, successStatus } from "../../../core/declare/action.ts";
import { endsByItself } from "../../../core/declare/event-stream.ts";
import type { EventKind } from "../../../core/declare/events.ts";
import { uploadField } from "../../../core/files/upload.ts";
import { uuid } from "../../../core/schema/schema.ts";
import { licensedModule } from "../../../mixins/licence.ts";
import type { Declaration } from "./declaration.ts";
import { parameterExample } from "./examples/example-parameters.ts";
import { type Components, components, type HEADER_PARAMETERS, type JsonSchema } from "./openapi-components.ts";
import { errorAnswers } from "./openapi-errors.ts";
import { bodyExampleOf, exampleOf } from "./openapi-examples.ts";
import { tagsOf } from "./openapi-tags.ts";
import { introduction, parameterText } from "./openapi-text.ts";
import { MESSAGES, webhooksOf } from "./openapi-webhooks.ts";
import { operationId, operationName } from "./operation-names.ts";

export interface DocumentInfo {
  version: string;
  /** Base of the paths, such as `/api/v1`. */
  serverUrl: string;
  /** Prefix of every API key. */
  keyPrefix: string;
  /** Name of the session cookie. */
  sessionCookie?: string;
  /** The document of the instance administrators' host. */
  ofInstance?: true;
  /** The events that webhooks send, by name. */
  webhooks?: Readonly<Record<string, EventKind>>;
}

const OF_INSTANCE = { title: "Kantoor instance API", summary: "Administration of an installation." };
const ABOUT_INSTANCE =
  "For instance administrators, on their own host alone. Sign in with `POST /instance/auth/login` and `POST /instance/auth/verify`, which sets the cookie of a session, or send a key as `X-API-Key`. Each operation names the capability that it requires. Times are in UTC.";

type Operation = Record<string, unknown>;

const isOpen = ({ open, needs, instance = "nothing" }: Declaration) =>
  open !== undefined && needs === "nothing" && instance === "nothing";
/** The first segment of a path, by which the reference groups operations. */
export const moduleOf = ({ urlPath }: Pick<Declaration, "urlPath">) => urlPath.split("/")[1] as string;
const template = (urlPath: string) => urlPath.replace(/:([a-z_]+)/g, "{$1}");
/** Whether the operation reads one row; its answer carries the row's entity tag. */
const readsRow = ({ method, urlPath, returns }: Declaration) =>
  method === "GET" && /:[a-z_]+$/.test(urlPath) && (returns as JsonSchema | null | undefined)?.["type"] === "object";

/** Whether the operation returns a stored file, which callers can cache by its tag. */
const isCached = ({ otherStatuses }: Declaration) => otherStatuses?.[304] !== undefined;

/** Header parameters of an operation. */
function headerParameters(declaration: Declaration): (keyof typeof HEADER_PARAMETERS)[] {
  if (isCached(declaration)) return ["If-None-Match"];
  if (declaration.streams && !endsByItself(declaration.streams)) return ["Last-Event-ID"];
  // What operators change says itself whether it is done already.
  if (declaration.instance !== undefined) return [];
  const keyed = declaration.method !== "GET" && !isOpen(declaration);
  return [
    ...(keyed ? (["Idempotency-Key"] as const) : []),
    ...(isConditional(declaration) && (declaration.conditional || declaration.urlPath.includes(":"))
      ? (["If-Match"] as const)
      : []),
  ];
}

function parameters(declaration: Declaration, shared: Components): unknown[] {
  const { urlPath, path, query = {}, requiredQuery } = declaration;
  if (requiredQuery === undefined && Object.keys(query).length > 0)
    throw new TypeError(`'${declaration.name}' does not declare which query parameters are required`);
  const one = (place: "path" | "query", name: string, given: unknown, required: boolean) => {
    const { description = parameterText(moduleOf(declaration), place, name), ...schema } = shared.schema(
      given,
      true,
    ) as JsonSchema;
    const example = parameterExample(given, name, urlPath);
    return { name, in: place, required, ...(description === undefined ? {} : { description }), schema, example };
  };
  return [
    ...pathParameters(urlPath).map((name) => one("path", name, path?.[name] ?? uuid(), true)),
    ...Object.entries(query).map(([name, schema]) => one("query", name, schema, requiredQuery.includes(name))),
    ...headerParameters(declaration).map((name) => shared.parameter(name)),
  ];
}

/** The body of a request: files as multipart with their allowed types, everything else as declared. */
function requestBody({ body, bodyType, example }: Declaration, shared: Components): object {
  const file = uploadField(body);
  if (!file) return content(bodyType ?? "application/json", body, example ?? bodyExampleOf(body), shared);
  const encoding = { [file.field]: { contentType: file.types.join(", ") } };
  return { "multipart/form-data": { schema: shared.schema(body), encoding } };
}

function content(mediaType: string, schema: unknown, example: unknown, shared: Components): object {
  return { [mediaType]: { schema: shared.schema(schema), ...(example === undefined ? {} : { example }) } };
}

/** One event of a stream. Its `data` is JSON in a text (JSON Schema 2020-12, Validation §8.5). */
function eventOf(event: string, contentSchema: unknown): object {
  const data = { type: "string", contentMediaType: "application/json", contentSchema };
  const properties = {
    event: { const: event, description: "Kind of the event" },
    data: { ...data, description: "Facts of the event, as JSON in a text" },
    id: { type: "string", description: "Id of the event, for `Last-Event-ID` where the stream can go on from it" },
  };
  return { title: event, type: "object", required: ["event", "data"], properties };
}

/** Bytes of a file. */
const FILE = { type: "string", contentMediaType: "application/octet-stream" };

/** The body of a success, or the events of a stream. */
function answerContent({ returns, returnsFile, streams, body, example }: Declaration, shared: Components): object {
  if (streams !== undefined) {
    const anyOf = Object.entries(streams).map(([event, data]) => eventOf(event, shared.schema(data)));
    return { content: { "text/event-stream": { schema: { anyOf } } } };
  }
  if (returnsFile !== undefined)
    return { content: Object.fromEntries(returnsFile.split(", ").map((type) => [type, { schema: FILE }])) };
  if (!returns) return {};
  const shown = body || example === undefined ? exampleOf(returns) : example;
  return { content: content("application/json", returns, shown, shared) };
}

const successText: Record<number, string> = {
  200: "Done.",
  201: "Created.",
  202: "Accepted; the work continues.",
  204: "Done; no content.",
};

function answers(declaration: Declaration, shared: Components): object {
  const body = answerContent(declaration, shared);
  const headers = {
    "X-Request-Id": shared.header("X-Request-Id"),
    ...(declaration.query?.["updated_since"] === undefined ? {} : { "Updated-Until": shared.header("Updated-Until") }),
    ...(readsRow(declaration) || isCached(declaration) ? { ETag: shared.header("ETag") } : {}),
    ...(headerParameters(declaration).includes("Idempotency-Key")
      ? { "Idempotent-Replayed": shared.header("Idempotent-Replayed") }
      : {}),
    ...(isOpen(declaration) ? {} : shared.rateLimitHeaders()),
  };
  const status = successStatus(declaration);
  const named = declaration.returnsFile === undefined ? {} : { "Content-Disposition": shared.header("Content-Disposition") };
  const made: Record<string, object> = {
    [status]: { description: successText[status] ?? "Done.", headers: { ...headers, ...named }, ...body },
  };
  const others = Object.entries(declaration.otherStatuses ?? {});
  for (const [other, said] of others) {
    const isSchema = typeof said !== "string";
    const description = isSchema ? successText[Number(other)] : said;
    const answered = isSchema ? { content: content("application/json", said, exampleOf(said), shared) } : body;
    const empty = other === "204" || other.startsWith("3");
    const location = other.startsWith("3") && other !== "304" ? { Location: shared.header("Location") } : {};
    made[other] = { description, headers: { ...headers, ...location }, ...(empty ? {} : answered) };
  }
  const refused = errorAnswers(declaration, headerParameters(declaration), shared);
  return { ...refused, ...made };
}

function security(declaration: Declaration): { security?: object[] } {
  if (isOpen(declaration)) return { security: [] };
  const isSession = declaration.sessionOnly || declaration.needs === "session" || declaration.needs === "administrator";
  return isSession ? { security: [{ session: [] }] } : {};
}

/** The declared description, plus a sentence on who may call. */
function description(declaration: Declaration, licence: string | null): string {
  const { permission, also = [], open, needs, instance = "nothing" } = declaration;
  const code = (key: string) => `\`${key}\``;
  if (instance !== "nothing") {
    const whom = instance === "administrator" ? "any instance administrator" : `the capability ${code(instance)}`;
    return [declaration.description, `Requires ${whom}.`].filter(Boolean).join("\n\n");
  }
  const who =
    permission !== undefined
      ? `Requires ${[permission, ...also].map(code).join(" and ")}${licence === null ? "" : `; module ${code(licence)}`}.`
      : needs === "nothing"
        ? "Needs no credential."
        : needs === "principal" || needs === undefined
          ? "Open to every principal of the organisation."
          : `Needs a signed-in session${needs === "administrator" ? " of an instance administrator" : ""}; an API key gets 401.`;
  const exempt = open === undefined && declaration.licenceExempt !== undefined ? " Works without a licence." : "";
  const session = declaration.sessionOnly ? "  Requires a signed-in session: an API key gets 403." : "";
  const clients = declaration.everyClient ? " It is about every client: a caller with a selection gets 403." : "";
  return [declaration.description, `${who}${session}${clients}${exempt}`].filter(Boolean).join("\n\n");
}

function operation(declaration: Declaration, shared: Components): Operation {
  const { summary, permission, body } = declaration;
  const licence = licensedModule(declaration);
  const given = parameters(declaration, shared);
  return {
    tags: [moduleOf(declaration)],
    operationId: operationId(declaration),
    "x-sdk-name": operationName(declaration),
    summary,
    description: description(declaration, licence),
    "x-module": moduleOf(declaration),
    "x-permission": permission ?? null,
    "x-licence": licence,
    ...security(declaration),
    ...(given.length === 0 ? {} : { parameters: given }),
    ...(body ? { requestBody: { required: true, content: requestBody(declaration, shared) } } : {}),
    responses: answers(declaration, shared),
  };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts the declarations by path and method. @throws TypeError when a route or an operation id occurs twice */
function inOrder(declarations: Declaration[]): Declaration[] {
  const published = declarations
    .filter(({ rest }) => typeof rest === "string")
    .toSorted(
      (a, b) => compare(template(a.urlPath), template(b.urlPath)) || compare(a.method, b.method) || compare(a.name, b.name),
    );
  const taken = new Map<string, string>();
  for (const declaration of published) {
    const { name, method, urlPath } = declaration;
    for (const place of [`${method} ${urlPath.replace(/:[a-z_]+/g, ":")}`, operationId(declaration)]) {
      const other = taken.get(place);
      if (other !== undefined) throw new TypeError(`'${other}' and '${name}' both claim '${place}'`);
      taken.set(place, name);
    }
  }
  return published;
}

/**
 * The OpenAPI 3.1 document of every declaration with a route. It does not depend on the declarations' order; it is plain JSON and shares no
 * objects with them.
 * @throws TypeError when declarations contradict each other: two routes or schemas under one name, an error code outside the catalogue
 */
export function openApiDocument(declarations: Declaration[], info: DocumentInfo): object {
  const shared = components();
  const paths: Record<string, Record<string, Operation>> = {};
  const published = inOrder(declarations);
  for (const declaration of published) {
    const item = (paths[template(declaration.urlPath)] ??= {});
    item[declaration.method.toLowerCase()] = operation(declaration, shared);
  }
  return {
    openapi: "3.1.1",
    info: {
      version: info.version,
      ...(info.ofInstance ? OF_INSTANCE : { title: "Kantoor API", summary: "Back office for agencies." }),
      description: info.ofInstance ? ABOUT_INSTANCE : introduction(info.keyPrefix),
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: info.serverUrl, description: info.ofInstance ? "The installation." : "The organisation of the request's host." },
    ],
    security: [{ apiKey: [] }, { bearerKey: [] }, { session: [] }],
    ...tagsOf([...published.map(moduleOf), ...(info.webhooks ? [MESSAGES] : [])]),
    paths,
    ...(info.webhooks ? { webhooks: webhooksOf(info.webhooks, shared) } : {}),
    components: shared.all(info.keyPrefix, info.sessionCookie ?? "__Host-kantoor_session"),
  };
}
