import { componentOf, type Schema } from "./document.ts";
import type { Model } from "./model.ts";
import { pascal } from "./names.ts";

const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
const isName = (text: string) => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);
/** A name that Python allows: `import` becomes `import_`. */
export const pythonName = (text: string) => (KEYWORDS.has(text) ? `${text}_` : text);
const PAGE = /^Page_(.+)_$/;
/** Names that the module of models imports. */
const TAKEN = new Set([
  "Dict",
  "Generic",
  "List",
  "Literal",
  "NotRequired",
  "Page",
  "TypedDict",
  "Union",
  "Upload",
  "WebhookMessage",
]);
const nameOf = (component: string) => (TAKEN.has(component) ? `${component}Model` : component);

/** Text of a docstring. */
export function docstring(lines: string[], indent: string): string {
  const text = lines.join("\n\n").replaceAll("\\", "\\\\").replaceAll('"""', '\\"""').trim();
  if (text === "") return "";
  const whole = text
    .split("\n")
    .join(`\n${indent}`)
    .replaceAll(/[ \t]+$/gm, "");
  return text.includes("\n") || text.endsWith('"')
    ? `${indent}"""\n${indent}${whole}\n${indent}"""\n`
    : `${indent}"""${whole}"""\n`;
}

const literal = (value: unknown) =>
  value === null ? "None" : value === true ? "True" : value === false ? "False" : JSON.stringify(value);

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

const union = (types: string[]) => {
  const different = [...new Set(types)];
  return different.length === 1 ? (different[0] as string) : `Union[${different.join(", ")}]`;
};

/** Writes schemas as types; objects inside of others become types of their own. */
export class PythonTypes {
  readonly #model: Model;
  readonly #declared = new Map<string, string>();
  constructor(model: Model) {
    this.#model = model;
  }

  /** One object of all parts of an `allOf`, references followed; undefined if a part is no object. */
  #merged(parts: Schema[]): Schema | undefined {
    const whole: Schema & { properties: Record<string, Schema>; required: string[] } = {
      type: "object",
      properties: {},
      required: [],
    };
    for (const part of parts) {
      const one = part.$ref ? (this.#model.schemas.get(componentOf(part.$ref)) as Schema) : part;
      const object = one.allOf ? this.#merged(one.allOf) : one;
      if (!object?.properties) return undefined;
      Object.assign(whole.properties, object.properties);
      whole.required.push(...(object.required ?? []));
    }
    return whole;
  }

  #object(schema: Schema, name: string): string {
    const { properties = {}, additionalProperties } = schema;
    if (Object.keys(properties).length > 0) {
      let free = name;
      while (this.#declared.has(free) || this.#model.schemas.has(free)) free += "_";
      this.declare(free, schema);
      return free;
    }
    return `Dict[str, ${typeof additionalProperties === "object" ? this.typeOf(additionalProperties, `${name}Value`) : "object"}]`;
  }

  /** A schema as a type. @param name of the type, if the schema needs one of its own */
  typeOf(schema: Schema, name: string): string {
    if (schema.$ref) {
      const component = componentOf(schema.$ref);
      const page = PAGE.exec(component);
      return page ? `Page[${nameOf(page[1] as string)}]` : nameOf(component);
    }
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(", ")}]`;
    const options = schema.anyOf ?? schema.oneOf;
    if (options)
      return union(
        options.map((one, index) =>
          this.typeOf(one, options.length === 1 || one.type !== "object" ? name : `${name}${index + 1}`),
        ),
      );
    if (schema.allOf) {
      const merged = this.#merged(schema.allOf);
      return merged ? this.#object(merged, name) : "object";
    }
    const types = schema.type ?? (schema.properties ? "object" : []);
    const named = (Array.isArray(types) ? types : [types]).map((type) => {
      if (type === "string" && (schema.format === "binary" || schema.contentMediaType === "application/octet-stream"))
        return "Upload";
      if (type === "array") return `List[${schema.items ? this.typeOf(schema.items, `${name}Item`) : "object"}]`;
      return type === "object" ? this.#object(schema, name) : (PRIMITIVES[type] as string);
    });
    return named.length === 0 ? "object" : union(named);
  }

  /** Declares an object; final, so that `"key" in answer` tells the types of a union apart. */
  declare(name: string, schema: Schema): void {
    // Holds its place while the members declare types of their own.
    this.#declared.set(name, "");
    const { properties = {}, required = [] } = schema;
    const members = Object.entries(properties).map(([key, one]) => {
      const type = this.typeOf(one, `${name}${pascal(key)}`);
      return { key, type: required.includes(key) ? type : `NotRequired[${type}]`, about: one.description ?? "" };
    });
    const text = members.every(({ key }) => isName(key))
      ? `@final\nclass ${name}(TypedDict):\n${docstring([schema.description ?? ""], "    ")}${members
          .map(({ key, type, about }) => `    ${key}: ${type}\n${docstring([about], "    ")}`)
          .join("")}`
      : `${name} = TypedDict(${JSON.stringify(name)}, {${members.map(({ key, type }) => `${JSON.stringify(key)}: ${JSON.stringify(type)}`).join(", ")}})\n`;
    this.#declared.set(name, text);
  }

  /** The module of all types. */
  module(): string {
    const aliases: string[] = [];
    for (const [name, schema] of this.#model.schemas) {
      if (PAGE.test(name)) continue;
      if (schema.type === "object" && schema.properties && !schema.anyOf) this.declare(nameOf(name), schema);
      else aliases.push(`${nameOf(name)}: TypeAlias = ${JSON.stringify(this.typeOf(schema, `${name}Value`))}\n`);
    }
    const messages = this.#model.events.map(({ name, schema, description }) =>
      this.typeOf(schema.$ref ? schema : { ...schema, description }, pascal(name)),
    );
    return [
      '"""The types of bodies and answers. Written by `npm run sdk` from the document of the API."""\n',
      "from __future__ import annotations\n",
      "from typing import Dict, List, Literal, Union, final\n\nfrom typing_extensions import NotRequired, TypeAlias, TypedDict\n",
      "from .answers import Upload\nfrom .changes import Page\n",
      ...[...this.#declared.values()],
      ...aliases,
      `#: A message of a webhook; \`type\` says which.\nWebhookMessage: TypeAlias = Union[\n${messages.map((name) => `    ${JSON.stringify(name)},\n`).join("")}]\n`,
    ].join("\n\n");
  }
}
