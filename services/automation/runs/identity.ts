import { hash } from "node:crypto";

/** A value as text that is the same for the same content, in whatever order its fields stand. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`).join()}}`;
}

/** What makes an event the same as an earlier one. */
export interface Occurred {
  event: string;
  entity_type: string;
  entity_id: string;
  /** What rules are told of it. */
  payload: Readonly<Record<string, unknown>>;
  /** What its emitter tells its occurrences apart by, null where it does not. */
  occurrence: unknown;
}

/** A digest by which a rule recognises an event it was set off by before (platform chapter §2.4). */
export const identityOf = ({ event, entity_type, entity_id, payload, occurrence }: Occurred): string =>
  hash("sha256", canonical([event, entity_type, entity_id, payload, occurrence ?? null]));
