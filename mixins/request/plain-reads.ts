import type { Service } from "moleculer";
import { LIST_DEFAULTS } from "../../core/database/lists/list.ts";
import { type Model, readable } from "../../core/database/model.ts";
import type { Values } from "../../core/database/write.ts";
import type { Action, ActionContext } from "../../core/declare/action.ts";
import { internal } from "../../core/declare/makers/internal.ts";
import { invalid, notFound, refusal } from "../../core/errors/errors.ts";
import {
  date,
  decimalInput,
  flag,
  instant,
  integer,
  optional,
  readInstant,
  type TProperties,
  type TSchema,
  Type,
  time,
  uuid,
} from "../../core/schema/schema.ts";
import { type Check, compileBody } from "../../core/schema/validation.ts";
import type { Reading, ReadRequest } from "./model-reader.ts";

/** Maximum rows of one `find`, and maximum values per column condition. */
const MOST = 200;

/** `Wanted` as callers pass it: names as a list, or separated by commas or spaces. */
type RawReadRequest = Partial<Omit<ReadRequest, "sort" | "fields">> & { sort?: string | string[]; fields?: string | string[] };

/** The schema of values to compare by column type; JSON and lists cannot be compared. */
const VALUES: Readonly<Record<string, () => TSchema>> = {
  uuid,
  // The console passes numbers, too.
  text: () => Type.Unsafe<string | number>({ type: ["string", "number"] }),
  integer: () => integer(),
  bigint: () => decimalInput({ decimalPlaces: null }),
  boolean: () => flag(),
  date,
  wall_time: time,
  "timestamp with time zone": instant,
};

const names = () => Type.Unsafe<string | string[]>({ anyOf: [Type.String(), Type.Array(Type.String())] });
const named = (given: string | string[]): string[] =>
  (typeof given === "string" ? given.split(/[,\s]+/) : given).filter((name) => name !== "");

/** @throws 422 for unknown names: the check would drop them, and a dropped condition returns more rows */
function requireKnown(given: object, known: object): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((name) => [name, "errors.validation"])));
}

/** Compiles the parameters of the reads. They can only name readable columns of the model. */
function compile(model: Model) {
  const columns = readable(model);
  const typeOf = (name: string): string => model.columns[name]?.facts.type ?? "";
  const valuesOf = (name: string): TSchema | undefined =>
    typeOf(name).startsWith("numeric") ? decimalInput({ decimalPlaces: null }) : VALUES[typeOf(name)]?.();
  const conditions: TProperties = Object.fromEntries(
    columns.flatMap((name) => {
      const schema = valuesOf(name);
      const several = { type: "array", items: schema, maxItems: MOST };
      return schema ? [[name, optional(Type.Unsafe<unknown>({ anyOf: [schema, several, { type: "null" }] }))]] : [];
    }),
  );
  const counted = { query: optional(Type.Object(conditions)) };
  const found = {
    ...counted,
    sort: optional(names()),
    fields: optional(names()),
    limit: optional(integer(1, MOST)),
    offset: optional(integer(0)),
  };

  function reader(properties: TProperties) {
    const check: Check = compileBody(Type.Object(properties), false);
    return (ctx: ActionContext): RawReadRequest & { id?: string } => {
      const given = (ctx.params ?? {}) as RawReadRequest;
      requireKnown(given, properties);
      requireKnown(given.query ?? {}, conditions);
      check(given);
      return given;
    };
  }
  const [readFind, readCount, readRow] = [reader(found), reader(counted), reader({ id: uuid() })];

  const compared = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => compared(name, one));
    if (typeof value === "string" && typeOf(name) === "timestamp with time zone") return readInstant(value);
    return typeof value === "number" && typeOf(name) === "text" ? String(value) : value;
  };
  const within = (ctx: ActionContext, query: Values = {}): Values => {
    const values = Object.entries(query).map(([name, value]) => [name, compared(name, value)]);
    return { ...Object.fromEntries(values), organisation_id: ctx.meta.organisation.id };
  };

  return {
    find(ctx: ActionContext): ReadRequest {
      const { query, sort = [], fields = columns, limit = LIST_DEFAULTS.limit, offset = LIST_DEFAULTS.offset } = readFind(ctx);
      const [order, shown] = [named(sort), named(fields)];
      if (!order.every((key) => columns.includes(key.replace(/^-/, ""))))
        throw refusal("invalid_sort", "errors.invalid_sort", { fields: { sort: "errors.invalid_sort" } });
      if (!shown.every((name) => columns.includes(name))) throw invalid({ fields: "errors.validation" });
      return { query: within(ctx, query), sort: order, fields: shown, limit, offset };
    },
    count: (ctx: ActionContext) => ({ query: within(ctx, readCount(ctx).query) }),
    row: (ctx: ActionContext) => ({ query: within(ctx, { id: readRow(ctx).id }), limit: 1 }),
  };
}

const declared = {
  open: "other actors and the console read rows with it; only callers with access to every row are allowed",
  needs: "everything",
  visibility: "protected",
} as const;

/**
 * The reads of every resource for other actors on its node and for the console, through moleculer-db and never as a route. Each runs in its
 * own read-only transaction, under row-level security, in the caller's organisation; secret columns cannot be named.
 */
export function plainReads(model: Model): Record<"find" | "count" | "row", Action> {
  let compiled: ReturnType<typeof compile> | undefined;
  const asked = () => (compiled ??= compile(model));
  const reading = async (ctx: ActionContext): Promise<Reading> =>
    (await import("./model-reader.ts")).readerOf(ctx.service as Service, model);
  return {
    find: internal({
      ...declared,
      summary: `Rows of ${model.table}: \`query\` by column, \`sort\`, \`fields\`, \`limit\`, \`offset\``,
      async handler(ctx) {
        const wanted = asked().find(ctx);
        return (await reading(ctx))._find(ctx, wanted);
      },
    }),
    count: internal({
      ...declared,
      summary: `Number of rows of ${model.table}: \`query\` by column`,
      async handler(ctx) {
        const wanted = asked().count(ctx);
        return (await reading(ctx))._count(ctx, wanted);
      },
    }),
    row: internal({
      ...declared,
      summary: `One row of ${model.table} by \`id\``,
      async handler(ctx) {
        const wanted = asked().row(ctx);
        const [row] = await (await reading(ctx))._find(ctx, wanted);
        if (!row) throw notFound();
        return row;
      },
    }),
  };
}
