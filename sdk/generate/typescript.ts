import type { DocumentParameter, Schema } from "./document.ts";
import type { Model, Operation } from "./model.ts";
import { camel, pascal } from "./names.ts";
import { type Group, groupsOf, isList, walksOf } from "./tree.ts";
import { comment, isDeclared, member, members, typeName, typeOf } from "./typescript-types.ts";

const HEAD = "// Written by `npm run sdk` from the document of the API.\n\n";

/** A parameter of a query: one value or several where it is a list. */
function queryType(parameter: DocumentParameter): string {
  const { items, format } = parameter.schema;
  if (items) return `${typeOf(items)} | readonly (${typeOf(items)})[]`;
  return format === "date-time" ? `${typeOf(parameter.schema)} | Date` : typeOf(parameter.schema);
}

const queryName = ({ name }: Operation) => `${pascal(name)}Query`;

function declareQuery(operation: Operation): string {
  const lines = operation.query.map((one) =>
    `${comment([one.description ?? ""], "  ")}  ${member(one.name)}?: ${queryType(one)};\n`.replace(
      one.required ? "?:" : ":",
      ":",
    ),
  );
  return `${comment([`The query of \`${operation.name}\`.`])}export interface ${queryName(operation)} {\n${lines.join("")}}\n`;
}

function declareSchema(name: string, schema: Schema): string {
  const text = comment([schema.description ?? ""]);
  const isPlain = schema.type === "object" && schema.properties && !schema.anyOf && !schema.additionalProperties;
  if (isPlain) return `${text}export interface ${typeName(name)} {\n${members(schema, "  ")}}\n`;
  return `${text}export type ${typeName(name)} = ${typeOf(schema)};\n`;
}

/** An event of a stream: its data is JSON in a text. */
function eventType(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(eventType).join(" | ");
  const { event, data, id } = schema.properties ?? {};
  if (!event || !data) return "ServerEvent";
  return `{ event: ${typeOf(event)}; data: ${typeOf(data.contentSchema ?? data)}${id ? "; id?: string" : ""} }`;
}

function resultOf(operation: Operation): string {
  const { kind, schemas, item, mayBeEmpty } = operation.answer;
  const json = [...schemas.map((schema) => typeOf(schema)), ...(mayBeEmpty ? ["undefined"] : [])].join(" | ");
  if (kind === "page" && item) {
    const page = json === `Page<${typeOf(item)}>` ? "" : `, ${json}`;
    return `Listing<${typeOf(item)}${page}>`;
  }
  if (isList(operation)) return `Listing<${typeOf(schemas[0]?.items as Schema)}, ${json}>`;
  if (kind === "events") return `EventStream<${schemas.map(eventType).join(" | ")}>`;
  if (kind === "file") return "Answer<Download>";
  return kind === "none" ? "Answer<void>" : `Answer<${json}>`;
}

function parametersOf(operation: Operation): string {
  const { pathParameters, body, query, takesKey, takesMatch } = operation;
  const given = pathParameters.map((one) => ({ name: camel(one.name), type: typeOf(one.schema), required: true }));
  if (body) given.push({ name: "body", type: typeOf(body.schema), required: body.required });
  if (query.length > 0)
    given.push({ name: "query", type: queryName(operation), required: query.some(({ required }) => required) });
  given.push({
    name: "options",
    type: takesMatch ? "ChangeOptions" : takesKey ? "WriteOptions" : "CallOptions",
    required: false,
  });
  const lastRequired = given.findLastIndex(({ required }) => required);
  return given
    .map(({ name, type, required }, index) => {
      if (required) return `${name}: ${type}`;
      return index < lastRequired ? `${name}: ${type} | undefined` : `${name}?: ${type}`;
    })
    .join(", ");
}

function declareGroup({ methods, groups }: Group, indent: string): string {
  const own = [...methods].map(([name, operation]) => {
    const about = [operation.summary, operation.description, `\`${operation.method} ${operation.path}\``].filter(
      (text) => text !== "",
    );
    return `${comment(about, indent)}${indent}${member(name)}(${parametersOf(operation)}): ${resultOf(operation)};\n`;
  });
  const inner = [...groups].map(
    ([name, group]) => `${indent}${member(name)}: {\n${declareGroup(group, `${indent}  `)}${indent}};\n`,
  );
  return [...own, ...inner].join("");
}

/** A line of the table that the client is made from; `operation.ts` of the client reads it. */
function lineOf(operation: Operation): string {
  const { method, path, body, query, answer, takesKey } = operation;
  const kind = isList(operation) ? "list" : answer.kind;
  const walks = kind === "page" || kind === "list" ? walksOf(operation) : [];
  const words = [
    body && `sends:${body.kind}`,
    query.length > 0 && "query",
    kind !== "json" && `answers:${kind}`,
    ...walks,
    takesKey && "key",
  ];
  return [method, path, ...words.filter(Boolean)].join(" ");
}

function importsOf(text: string, names: string[], from: string): string {
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  return used.length === 0 ? "" : `import type { ${used.join(", ")} } from "${from}";\n`;
}

function declareMessages({ events }: Model): string {
  const lines = events.map(
    ({ type, description, schema }) => `${comment([description], "  ")}  ${member(type)}: ${typeOf(schema, "  ")};\n`,
  );
  return `/** The messages of webhooks by their type. */
export interface WebhookMessages {
${lines.join("")}}

/** A message of a webhook; \`type\` says which. */
export type WebhookMessage = WebhookMessages[keyof WebhookMessages];
`;
}

/** The generated sources of the TypeScript client, by their name. */
export function typescriptOf(model: Model): Record<string, string> {
  const declared = [...model.schemas].filter(([name]) => isDeclared(name));
  const queries = model.operations.filter(({ query }) => query.length > 0);
  const types = [
    ...declared.map(([name, schema]) => declareSchema(name, schema)),
    ...queries.map(declareQuery),
    declareMessages(model),
  ].join("\n");
  const api = `/** A method for each operation of the API. */\nexport interface Api {\n${declareGroup(groupsOf(model.operations), "  ")}}\n`;
  const names = [...declared.map(([name]) => typeName(name)), ...queries.map(queryName)];
  const shared =
    importsOf(api, ["Answer"], "../answer.ts") +
    importsOf(api, ["EventStream", "ServerEvent"], "../events.ts") +
    importsOf(api, ["Download", "Upload"], "../files.ts") +
    importsOf(api, ["Listing", "Page"], "../listing.ts") +
    importsOf(api, ["CallOptions", "ChangeOptions", "WriteOptions"], "../options.ts");
  const table = Object.fromEntries(model.operations.map((operation) => [operation.name, lineOf(operation)]));
  return {
    "types.ts": `${HEAD}${importsOf(types, ["Upload"], "../files.ts")}${importsOf(types, ["Page"], "../listing.ts")}\n${types}`,
    "api.ts": `${HEAD}${shared}${importsOf(api, names, "./types.ts")}\n${api}`,
    "operations.ts": `${HEAD}/** Each operation by its name: method, path, and what differs from a read of JSON. */\nexport const OPERATIONS: Readonly<Record<string, string>> = ${JSON.stringify(table, null, 2)};\n`,
  };
}
