import { createHash } from "node:crypto";

/** A fixed SQL text; its name makes PostgreSQL keep the plan per connection. */
export interface Statement {
  readonly text: string;
  readonly name: string;
}

export type Row = Record<string, unknown>;
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
