import type { Command, Commands, Flag, FlagKind } from "../cli/src/commands.ts";
import { componentOf, type DocumentParameter, type Schema } from "./document.ts";
import type { Model, Operation } from "./model.ts";
import { isList } from "./tree.ts";

/** A schema without the names and alternatives around it, and whether it can be null. */
interface Plain {
  schema: Schema;
  nullable: boolean;
}

const TEXTUAL: readonly string[] = ["string", "number"];

function plainOf(model: Model, given: Schema): Plain {
  if (given.$ref) return plainOf(model, model.schemas.get(componentOf(given.$ref)) ?? {});
  const options = given.anyOf ?? given.oneOf;
  if (options) {
    const others = options.filter(({ type }) => type !== "null");
    const nullable = others.length < options.length;
    const [only] = others;
    if (others.length === 1 && only) {
      const inner = plainOf(model, only);
      return { schema: inner.schema, nullable: nullable || inner.nullable };
    }
    // An exact decimal, as a text or a number: the text keeps all digits.
    const isDecimal = others.every(({ type }) => typeof type === "string" && TEXTUAL.includes(type));
    return { schema: isDecimal ? { type: "string" } : {}, nullable };
  }
  const types = [given.type ?? []].flat();
  const values = given.enum?.filter((value) => value !== null);
  const nullable = types.includes("null") || (given.enum?.includes(null) ?? false);
  const [type, ...more] = types.filter((one) => one !== "null");
  const isTextOrNumber = more.length > 0 && [type ?? "", ...more].every((one) => TEXTUAL.includes(one));
  const kept = isTextOrNumber ? "string" : more.length === 0 ? type : undefined;
  const { type: _type, enum: _enum, ...rest } = given;
  return { schema: { ...rest, ...(kept && { type: kept }), ...(values && { enum: values }) }, nullable };
}

const isBytes = ({ format, contentMediaType }: Schema) => format === "binary" || contentMediaType === "application/octet-stream";

function kindOf(schema: Schema): FlagKind {
  if (isBytes(schema)) return "file";
  if (schema.enum?.every((value) => typeof value === "string")) return "text";
  const { type } = schema;
  if (type === "integer" || type === "number" || type === "boolean") return type;
  return type === "string" ? "text" : "json";
}

/** Formats whose values never have a comma, so that several can be in one flag. */
const WITHOUT_COMMA: readonly string[] = ["uuid", "date", "email"];

function flagOf(model: Model, name: string, given: Schema, description: string, required: boolean): Flag {
  const { schema, nullable } = plainOf(model, given);
  const item = schema.type === "array" ? plainOf(model, schema.items ?? {}).schema : undefined;
  const kind = kindOf(item ?? schema);
  const isMany = item !== undefined && kind !== "json";
  const one = isMany ? item : schema;
  const isSplit = isMany && (kind !== "text" || one.enum !== undefined || WITHOUT_COMMA.includes(one.format ?? ""));
  return {
    name,
    ...(kind !== "text" && { kind }),
    ...(one.enum && kind === "text" && { values: one.enum as string[] }),
    ...(isMany && { many: isSplit ? "split" : "repeated" }),
    ...(nullable && { nullable: true }),
    ...(required && { required: true }),
    ...(description !== "" && { about: description }),
  };
}

const parameterFlag = (model: Model, { name, schema, description = "", required = false }: DocumentParameter) => {
  const flag = flagOf(model, name, schema, description, required);
  // The service reads a comma in a list of a query as the end of a value.
  return flag.many ? { ...flag, many: "split" as const } : flag;
};

/** The members of a body; undefined where it is something other than one object. */
function bodyFlags(model: Model, given: Schema): Flag[] | undefined {
  const { properties, required = [] } = plainOf(model, given).schema;
  if (!properties) return undefined;
  return Object.entries(properties).map(([name, one]) =>
    flagOf(model, name, one, one.description ?? plainOf(model, one).schema.description ?? "", required.includes(name)),
  );
}

const same = (name: string) => name.replace(/[-_.]/g, "").toLowerCase();

/** Stops at words that a person could not tell apart, and at an area with the name of a command of the program. */
function checkWords(operations: Operation[], own: readonly string[]) {
  const seen = new Map<string, string>();
  for (const { name } of operations) {
    const parts = name.split(".");
    for (let end = 1; end <= parts.length; end += 1) {
      const path = parts.slice(0, end).join(".");
      const words = path.split(".").map(same).join(" ");
      if ((seen.get(words) ?? path) !== path) throw new Error(`${path} and ${seen.get(words)} are the same words.`);
      seen.set(words, path);
    }
    if (own.includes(parts[0] as string)) throw new Error(`${name} begins like a command of the program.`);
  }
}

/** Commands of the program that are no operations. */
export const OWN_WORDS: readonly string[] = ["login", "logout", "request", "completion", "help"];

/**
 * What the command line knows of the API, in one table: flags that several operations have alike are in it once.
 * @throws Error if two names are the same words on a command line
 */
export function commandsOf(model: Model): Commands {
  checkWords(model.operations, OWN_WORDS);
  const flags: Flag[] = [];
  const places = new Map<string, number>();
  const placeOf = (flag: Flag): number => {
    const key = JSON.stringify(flag);
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, flags.length);
    return flags.push(flag) - 1;
  };
  const commands = model.operations.map((operation): [string, Command] => {
    const { name, summary, description, pathParameters, query, body, answer, takesKey, takesMatch } = operation;
    const members = body && bodyFlags(model, body.schema);
    return [
      name,
      {
        summary,
        ...(description !== "" && { about: description }),
        ...(pathParameters.length > 0 && { path: pathParameters.map((one) => placeOf(parameterFlag(model, one))) }),
        ...(query.length > 0 && { query: query.map((one) => placeOf(parameterFlag(model, one))) }),
        ...(body && { sends: body.kind }),
        ...(members && { body: members.map(placeOf) }),
        ...(body?.required && { needsBody: true }),
        ...(answer.kind !== "json" && { answers: answer.kind }),
        ...(isList(operation) && { answers: "list" }),
        ...(takesKey && { key: true }),
        ...(takesMatch && { match: true }),
      },
    ];
  });
  return { version: model.version, areas: Object.fromEntries(model.areas), flags, commands: Object.fromEntries(commands) };
}
