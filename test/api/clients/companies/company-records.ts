import type pg from "pg";
import type { Answer } from "../../../support/http.ts";

/** One line of the trail as it is stored. */
export interface TrailLine {
  action: string;
  payload: { changes?: Record<string, { from: unknown; to: unknown }>; [fact: string]: unknown };
  actor_name: string | null;
  actor_account_id: string | null;
  actor_service_account_id: string | null;
  impersonator_name: string | null;
}

/** The trail of one record, oldest first, read as the owner of the tables. */
export async function trailOf(sql: pg.Client, entityType: string, id: string): Promise<TrailLine[]> {
  const { rows } = await sql.query("select * from activity where entity_type = $1 and entity_id = $2 order by created_at, id", [
    entityType,
    id,
  ]);
  return rows;
}

/** The events of one company waiting in the outbox, oldest first. */
export async function eventsOf(sql: pg.Client, id: string): Promise<{ event: string; payload: Record<string, unknown> }[]> {
  const { rows } = await sql.query("select event, payload from outbox where entity_id = $1 order by created_at, id", [id]);
  return rows;
}

/** Names of a page in its order. */
export const namesOf = ({ body }: Answer): string[] => body.items.map(({ name }: { name: string }) => name);

/** The content of a refusal: status, code, and the keys next to the fields. */
export const refusalOf = ({ status, body }: Answer): unknown[] => [status, body?.error?.code, body?.error?.fields ?? null];

/** A 422 of one or more fields. */
export const invalidOn = (fields: Record<string, string>): unknown[] => [422, "validation", fields];
