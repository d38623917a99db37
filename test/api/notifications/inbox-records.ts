import { expect } from "chai";
import type { Answer } from "../../support/http.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";

// biome-ignore lint/suspicious/noExplicitAny: an answer's body, whose shape the contract checks
export type Body = any;

/** The body of an answer, which must be a success. */
export function bodyOf(answer: Answer): Body {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

/** The events in a person's inbox, newest first. */
export const heard = async (who: Caller, filter = ""): Promise<string[]> =>
  bodyOf(await who.get(`/notifications?limit=200${filter}`)).items.map(({ event_type }: Body) => event_type);

/** The number of unread rows of a person. */
export const unread = async (who: Caller): Promise<number> => bodyOf(await who.get("/notifications/unread-count")).count;

/** Replaces a person's preferences, or with `/defaults` the organisation's, and returns the matrix. */
export const prefer = async (who: Caller, preferences: object, scope = ""): Promise<Body> =>
  bodyOf(await who.put(`/notifications/preferences${scope}`, preferences));

/** Makes these events immediate in the inbox, so that a test need not wait for a digest. */
export const atOnce = (who: Caller, ...events: string[]): Promise<Body> =>
  prefer(who, { events: events.map((event_type) => ({ event_type, digest: "immediate" })) }, "/defaults");

/** Follows a record, mutes it (false), or resets the choice (null). */
export async function watch(who: Caller, entity_type: string, entity_id: string, watching: boolean | null = true): Promise<void> {
  const { status, body } = await who.put("/notifications/watch", { entity_type, entity_id, watching });
  expect([status, body]).to.deep.equal([200, { watching }]);
}

/** The inbox rows about a record, visible or not, with the person and the event. */
export async function rowsAbout({ sql }: Pick<TestService, "sql">, entityId: string): Promise<Body[]> {
  const { rows } = await sql.query(
    `select n.id, n.account_id, n.event_type, v.payload, v.actor_name, n.read_at, n.visible_at, n.created_at
       from notifications n join notification_events v on v.id = n.event_id where n.entity_id = $1 order by n.created_at, n.id`,
    [entityId],
  );
  return rows;
}

/** The deliveries about a record, by way, with the person and the channel. */
export async function sendingAbout({ sql }: Pick<TestService, "sql">, entityId: string): Promise<Body[]> {
  const { rows } = await sql.query(
    `select d.way, d.account_id, d.channel_id, d.due_at, v.event_type from notification_deliveries d
       join notification_events v on v.id = d.event_id where v.entity_id = $1 order by d.way, d.account_id, d.channel_id`,
    [entityId],
  );
  return rows;
}

/** Inserts a channel by SQL, because other tests cover the API. `owner` null is a shared room. */
export async function channel(
  { sql }: Pick<TestService, "sql">,
  { organisation }: Tenant,
  owner: string | null,
  name: string,
  values: { digest_time?: string; enabled?: boolean } = {},
): Promise<string> {
  const { rows } = await sql.query(
    `insert into notification_channels (id, organisation_id, account_id, kind, name, url, redacted, digest_time, enabled)
     values (gen_random_uuid(), $1, $2, 'slack', $3, 'v1.00000000.x', 'https://hooks****', $4, $5) returning id`,
    [organisation.id, owner, name, values.digest_time ?? null, values.enabled ?? true],
  );
  return rows[0].id;
}
