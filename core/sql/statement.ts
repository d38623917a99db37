import { createHash } from "node:crypto";

/** A fixed SQL text; under its name PostgreSQL keeps the plan per connection. */
export interface Statement {
  readonly text: string;
  readonly name: string;
  /** True to return rows as `TextRow`, the way PostgreSQL sends them. */
  readonly asText?: boolean;
}

export type Row = Record<string, unknown>;
/** An unparsed row: the text of each column, null for no value, and the column's type number in `pg_type`. */
export type TextRow = { readonly values: readonly (string | null)[]; readonly types: readonly number[] };
/** A statement with its values, for calls that send several in one flush. */
export type Bound = readonly [Statement, readonly unknown[]];

const statements = new Map<string, Statement>();

/** Creates a statement from a text that does not depend on data. Equal texts share one name. */
export function statement(text: string): Statement {
  const squeezed = text.replace(/\s+/g, " ").trim();
  let known = statements.get(squeezed);
  if (!known) {
    known = { text: squeezed, name: createHash("sha1").update(squeezed).digest("base64url").slice(0, 20) };
    statements.set(squeezed, known);
  }
  return known;
}

/** Like `statement`, with rows as `TextRow`. */
export const textStatement = (text: string): Statement => ({ ...statement(text), asText: true });
