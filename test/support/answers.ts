import type { Answer } from "./http.ts";
import type { TestService } from "./service.ts";

/** Copies recorded events to a table: the outbox drops events that no subscriber waits for. */
const KEEP_EVENTS = `
  create table if not exists recorded (seq bigserial primary key, id uuid, organisation_id uuid, event text, entity_id uuid, payload jsonb);
  create or replace function keep_recorded() returns trigger language plpgsql security definer set search_path = public as $$
  begin
    insert into recorded (id, organisation_id, event, entity_id, payload) values (new.id, new.organisation_id, new.event, new.entity_id, new.payload);
    return null;
  end $$;
  create or replace trigger kept after insert on outbox for each row when (new.event is not null) execute function keep_recorded();`;

/** Keeps every event recorded from now on, for `eventsAbout`. */
export const recordEvents = async ({ sql }: Pick<TestService, "sql">): Promise<void> => void (await sql.query(KEEP_EVENTS));

/** A refusal's status, code, message, and error keys by field. */
export const refused = ({ status, body }: Answer): unknown[] => {
  const { code, message, fields } = body?.error ?? {};
  return [status, code, message, ...(fields === undefined ? [] : [fields])];
};

/** The expected 422 for invalid fields. */
export const unfit = (fields: Record<string, string>): unknown[] => [422, "validation", "errors.validation", fields];

/** The events recorded about a row, oldest first. */
export async function eventsAbout(
  { sql }: Pick<TestService, "sql">,
  entityId: string,
): Promise<{ event: string; payload: Record<string, unknown> }[]> {
  const { rows } = await sql.query("select event, payload from recorded where entity_id = $1 order by seq", [entityId]);
  return rows;
}
