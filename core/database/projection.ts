import type { TSchema } from "../schema/schema.ts";
import { jsonRows, type RowProperty } from "../sql/json-rows.ts";
import { type Statement, statement, type TextRow } from "../sql/statement.ts";
import type { Model } from "./model.ts";

/** How a resource is rendered: derived from its schema, so that list, get and the response of a write cannot differ. */
export interface ProjectionSpec {
  model: Pick<Model, "table">;
  schema: TSchema;
  /** SQL for the properties that are not a column of the same name; `t` is the row. */
  columns?: Record<string, string>;
  /** Properties with the same value in every row. */
  fixed?: Record<string, unknown>;
  /** Lateral joins for the columns. Each must return exactly one row. `sources` is the restricted selection, null when there is none. */
  joins?: string | ((sources: string) => string);
  /** Whether the joins keep the order of the rows: each is lateral and ends in an aggregate or a limit, so a plan goes row by row. */
  keepsOrder?: boolean;
}

/** A compiled projection. The organisation is `$1` in every statement. */
export interface Projection {
  /** `select … from <source> t <joins>`: one JSON-ready row per source row; `sources` is the selection the joins narrow to. */
  rows(source: string, sources?: string): string;
  /** Like `rows`, for rows that become JSON in this process: it omits the fixed properties. `last` is an extra column after the others. */
  columns(source: string, sources?: string, last?: string): string;
  /** The JSON array of rows of `columns`, whose first property is column `from`. */
  items(rows: readonly TextRow[], from?: number): string;
  /**
   * One row by id (`$2`) as `version` and `body` (JSON text); `visible` is an extra condition with values from `$3`, where narrowing joins
   * expect the selection.
   */
  one(visible?: string): Statement;
  /** Whether rows keep the order of the source; true without joins. */
  readonly keepsOrder: boolean;
  /** Number of columns of `columns` before `last`. */
  readonly width: number;
  /** The index of the column in `columns` that is this SQL unchanged; undefined if none is. */
  columnOf(sql: string): number | undefined;
}

interface Property {
  type?: string | string[];
  format?: string;
  properties?: Record<string, Property>;
}

/** SQL of the sources of a selection that restricts nothing. */
export const NOBODY_RESTRICTED = "null::uuid[]";

/** Compiles the select of a resource from its response schema. Decimals are returned as strings. */
export function projection({
  model: { table },
  schema,
  columns = {},
  fixed = {},
  joins = "",
  keepsOrder = joins === "",
}: ProjectionSpec): Projection {
  const { properties = {} } = schema as Property;
  const made: (RowProperty & { sql: string; sqlOfRow: string })[] = Object.entries(properties).map(([name, property]) => {
    const text = Object.hasOwn(fixed, name) ? JSON.stringify(fixed[name]) : undefined;
    const source = text === undefined ? sourceOf(name, columns) : `'${text.replaceAll("'", "''")}'::json`;
    const isDecimal = property.format === "decimal";
    // PostgreSQL's text of a list is not JSON.
    const isList = [property.type].flat().includes("array");
    const named = (sql: string) => `${sql} as "${name}"`;
    return {
      ...{ name, fixed: text, isDecimal },
      sql: named(isList ? `to_json(${source})` : source),
      sqlOfRow: named(isDecimal ? `${source}::text` : source),
    };
  });
  const joined = (sources: string) => (typeof joins === "string" ? joins : joins(sources));
  const selected = made.map(({ sqlOfRow }) => sqlOfRow).join(", ");
  const columnsMade = made.filter(({ fixed }) => fixed === undefined);
  const varying = columnsMade.map(({ sql }) => sql).join(", ");
  return {
    rows: (source, sources = NOBODY_RESTRICTED) => `select ${selected} from ${source} t ${joined(sources)}`,
    columns: (source, sources = NOBODY_RESTRICTED, last) =>
      `select ${varying}${last === undefined ? "" : `, ${last}`} from ${source} t ${joined(sources)}`,
    items: jsonRows(made),
    keepsOrder,
    width: columnsMade.length,
    columnOf(sql) {
      const index = columnsMade.findIndex(({ name, sql: made }) => made === `${sql} as "${name}"`);
      return index === -1 ? undefined : index;
    },
    one: (visible = "true") =>
      statement(`select r.version, row_to_json(r.body)::text as body from (
        select t.version, (select b from (select ${selected}) b) as body from ${table} t ${joined("$3::uuid[]")}
        where t.organisation_id = $1 and t.id = $2 and ${visible}) r`),
  };
}

const sourceOf = (name: string, columns: Readonly<Record<string, string>>): string =>
  columns[name] ?? (name === "org_id" ? "t.organisation_id" : `t.${name}`);

/** Selects a list as JSON text; `rows` must be ordered and limited already. */
export const jsonArray = (rows: string): string => `(select coalesce(json_agg(r), '[]')::text from (${rows}) r)`;
