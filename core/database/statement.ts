import { createHash } from "node:crypto";

/** A fixed SQL text; its name makes PostgreSQL keep the plan per connection. */
export interface Statement {
  readonly text: string;
  readonly name: string;
  /** True when its rows are wanted as PostgreSQL sends them, as `TextRow`. */
  readonly asText?: boolean;
}

export type Row = Record<string, unknown>;
/** A row that was not read into values: the text of each column, and the number of its type in `pg_type`; null is no value. */
export type TextRow = { readonly values: readonly (string | null)[]; readonly types: readonly number[] };
/** A statement with its values, for calls that send several in one flush. */
export type Bound = readonly [Statement, readonly unknown[]];

const statements = new Map<string, Statement>();

/** Makes a statement of a text that does not depend on data. Equal texts share one name. */
export function statement(text: string): Statement {
  const squeezed = text.replace(/\s+/g, " ").trim();
  let known = statements.get(squeezed);
  if (!known) {
    known = { text: squeezed, name: createHash("sha1").update(squeezed).digest("base64url").slice(0, 20) };
    statements.set(squeezed, known);
  }
  return known;
}

/** The same, of a text whose rows are wanted as `TextRow`. */
export const textStatement = (text: string): Statement => ({ ...statement(text), asText: true });
