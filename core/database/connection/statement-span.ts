import type { Bound } from "../../sql/statement.ts";
import type { SpanStart } from "../../tracing/tracing.ts";
import { shortened } from "../../values/stored-text.ts";

/** Statements that open a transaction, bind it to its organisation, and close it. */
const FRAME = /^(?:begin|commit)\b|set_config\('app\.organisation_id'/;

/** The texts of a message's statements, without those that open and close its transaction. */
export const withoutFrame = (bound: readonly Bound[]): string[] =>
  bound.map(([{ text }]) => text).filter((text) => !FRAME.test(text));

/** Most characters of the texts in a span. */
const LONGEST = 4000;

const operationOf = (text: string): string => /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? "SQL";

/**
 * The span of a message to PostgreSQL by OpenTelemetry's conventions for databases: the texts of its statements, which are written in the
 * code, and never a parameter.
 */
export function spanOf(bound: readonly Bound[]): SpanStart {
  const inner = withoutFrame(bound);
  const texts = inner.length > 0 ? inner : bound.map(([{ text }]) => text);
  const operations = new Set(texts.map(operationOf));
  const [first = "SQL"] = operations;
  const name = texts.length === 1 ? first : operations.size === 1 ? `BATCH ${first}` : "BATCH";
  return {
    name,
    kind: "client",
    attributes: {
      "db.system.name": "postgresql",
      "db.operation.name": name,
      "db.operation.batch.size": texts.length > 1 ? texts.length : undefined,
      "db.query.text": shortened(texts.join(";\n"), LONGEST),
    },
  };
}
