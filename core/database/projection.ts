import type { TSchema } from "../declare/schema.ts";
import type { Model } from "./model.ts";
import { type Statement, statement } from "./statement.ts";

/** How one resource is answered: derived from its schema, so that list, get and the answer of a write cannot differ. */
export interface ProjectionSpec {
  model: Pick<Model, "table">;
  schema: TSchema;
  /** SQL for the properties that are not a column of the same name; `t` is the row. */
  columns?: Record<string, string>;
  /** Lateral joins the columns use. They must give exactly one row each. `sources` is the restricted selection, null when there is none. */
  joins?: string | ((sources: string) => string);
}

/** A compiled projection. Every text takes the organisation as `$1`. */
export interface Projection {
  /** `select … from <source> t <joins>`: one JSON-ready row per source row; `sources` holds the selection the joins narrow to. */
  rows(source: string, sources?: string): string;
  /**
   * One row by id (`$2`) as `version` and `body` (JSON text); `visible` is an extra condition with values from `$3`, where joins that
   * narrow expect the selection.
   */
  one(visible?: string): Statement;
}

interface Property {
  format?: string;
  properties?: Record<string, Property>;
}

/** The sources of a selection that restricts nothing, as SQL. */
export const NOBODY_RESTRICTED = "null::uuid[]";

/** Compiles the select of a resource from its response schema. Decimals leave as strings. */
export function projection({ model: { table }, schema, columns = {}, joins = "" }: ProjectionSpec): Projection {
  const { properties = {} } = schema as Property;
  const selected = Object.entries(properties).map(([name, { format }]) => {
    const source = columns[name] ?? (name === "org_id" ? "t.organisation_id" : `t.${name}`);
    return `${source}${format === "decimal" ? "::text" : ""} as "${name}"`;
  });
  const joined = (sources: string) => (typeof joins === "string" ? joins : joins(sources));
  const rows = (source: string, sources = NOBODY_RESTRICTED) =>
    `select ${selected.join(", ")} from ${source} t ${joined(sources)}`;
  return {
    rows,
    one: (visible = "true") =>
      statement(`select r.version, row_to_json(r.body)::text as body from (
        select t.version, (select b from (select ${selected.join(", ")}) b) as body from ${table} t ${joined("$3::uuid[]")}
        where t.organisation_id = $1 and t.id = $2 and ${visible}) r`),
  };
}

/** The select of a list as JSON text: `rows` must be ordered and limited already. */
export const jsonArray = (rows: string): string => `(select coalesce(json_agg(r), '[]')::text from (${rows}) r)`;
