import { componentOf, type Schema } from "./document.ts";

/** Text of a comment: one `*` a line, and nothing that ends it. */
export function comment(lines: string[], indent = ""): string {
  const texts = lines.flatMap((line) => line.split("\n")).map((line) => line.replaceAll("*/", "*\\/").trim());
  while (texts.at(-1) === "") texts.pop();
  if (texts.length === 0) return "";
  if (texts.length === 1) return `${indent}/** ${texts[0]} */\n`;
  return `${indent}/**\n${texts.map((text) => `${indent} * ${text}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text);
/** A member's name, in quotes where it is no identifier. */
export const member = (name: string) => (isName(name) ? name : JSON.stringify(name));
const PAGE = /^Page_(.+)_$/;
/** Names that the package or the language has. */
const TAKEN = new Set([
  "Answer",
  "Array",
  "Change",
  "Changes",
  "Date",
  "Download",
  "Error",
  "EventStream",
  "Kantoor",
  "Listing",
  "Map",
  "Page",
  "Promise",
  "Record",
  "Upload",
  "WebhookMessage",
]);

/** The name of a component in the client. */
export function typeName(component: string): string {
  const page = PAGE.exec(component);
  if (page) return `Page<${typeName(page[1] as string)}>`;
  return TAKEN.has(component) ? `${component}Model` : component;
}
/** Whether a component has a declaration: pages are one generic type. */
export const isDeclared = (component: string) => !PAGE.test(component);

const union = (types: string[]) => [...new Set(types)].join(" | ") || "never";
const grouped = (type: string) => (/ [|&] /.test(type) ? `(${type})` : type);

const isBytes = ({ format, contentMediaType }: Schema) => format === "binary" || contentMediaType === "application/octet-stream";

function objectType(schema: Schema, indent: string): string {
  const { properties = {}, additionalProperties } = schema;
  const rest =
    additionalProperties === false || additionalProperties === undefined
      ? undefined
      : `Record<string, ${additionalProperties === true ? "unknown" : typeOf(additionalProperties, indent)}>`;
  if (Object.keys(properties).length === 0) return rest ?? "Record<string, unknown>";
  const own = `{\n${members(schema, `${indent}  `)}${indent}}`;
  return rest ? `${own} & ${rest}` : own;
}

/** The members of an object, a line each after its comment. */
export function members({ properties = {}, required = [] }: Schema, indent: string): string {
  return Object.entries(properties)
    .map(([name, one]) => {
      const type = typeOf(one, indent);
      return `${comment([one.description ?? ""], indent)}${indent}${member(name)}${required.includes(name) ? "" : "?"}: ${type};\n`;
    })
    .join("");
}

function namedType(schema: Schema, type: string, indent: string): string {
  if (type === "string") return isBytes(schema) ? "Upload" : "string";
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return `${grouped(schema.items ? typeOf(schema.items, indent) : "unknown")}[]`;
  if (type === "object") return objectType(schema, indent);
  return type;
}

/** A schema as a type. What it leaves open is `unknown`. */
export function typeOf(schema: Schema, indent = ""): string {
  if (schema.$ref) return typeName(componentOf(schema.$ref));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return union(options.map((one) => typeOf(one, indent)));
  if (schema.allOf) return schema.allOf.map((one) => grouped(typeOf(one, indent))).join(" & ");
  const types = schema.type ?? (schema.properties ? "object" : []);
  const named = (Array.isArray(types) ? types : [types]).map((type) => namedType(schema, type, indent));
  return named.length === 0 ? "unknown" : union(named);
}
