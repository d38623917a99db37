import { query } from "../../../core/database/query.ts";
import { grantsReading } from "../../../core/declare/records.ts";
import { emitAll } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** Grants of members who can change monitors. They are notified of monitors that no client roster covers. */
const WRITING = ["*", "uptime.monitor.write"];

const BY_CLIENT = statement(`select c.id as company_id,
    array(select m.account_id from company_assignees ca join member_access m on m.organisation_id = $1 and m.account_id = ca.account_id
      where ca.organisation_id = $1 and ca.company_id = c.id and m.is_live and not m.is_client
        and m.membership_id in (select members_holding($1, $3::text[]))) as recipients
  from unnest($2::uuid[]) c(id)`);
const WRITERS = statement(`select m.account_id from member_access m where m.organisation_id = $1 and m.is_live and not m.is_client
  and m.membership_id in (select members_holding($1, $2::text[]))`);

/**
 * The recipients of monitor events, by client: members of the client's roster who can read monitors. If there are none, and for monitors
 * without a client: everyone who can change monitors. Needs two statements for any number of clients.
 * @returns a function from a client's id, or null, to the recipients
 */
async function recipientsBy(companyIds: readonly (string | null)[]): Promise<(companyId: string | null) => string[]> {
  const { organisation } = request();
  const ids = [...new Set(companyIds.filter((id) => id !== null))];
  const [rosters, writers] = await Promise.all([
    query<{ company_id: string; recipients: string[] }>(BY_CLIENT, [organisation.id, ids, grantsReading("uptime_monitor")]),
    query<{ account_id: string }>(WRITERS, [organisation.id, WRITING]),
  ]);
  const byClient = new Map(rosters.map(({ company_id, recipients }) => [company_id, recipients]));
  const others = writers.map(({ account_id }) => account_id);
  return (companyId) => {
    const roster = companyId === null ? [] : (byClient.get(companyId) ?? []);
    return roster.length > 0 ? roster : others;
  };
}

/** A monitor with what is to be announced of it; null for nothing. */
export interface Announcement {
  id: string;
  name: string;
  target: string | null;
  company_id: string | null;
  website_id: string | null;
  at: string;
  message: string | null;
  announces: "up" | "down" | "flapping" | null;
  /** The outage that the announcement is about; null for a monitor that flaps. */
  started_at: string | null;
  ended_at: string | null;
  /** The length of an outage that ended. */
  minutes: number | null;
}

const KIND = "uptime_monitor";
const iso = (instant: string) => new Date(instant).toISOString();

const common = ({ id, name, target, company_id, website_id }: Announcement) => ({
  monitor_id: id,
  title: name,
  target,
  company_id,
  website_id,
});
const down = (one: Announcement) => ({ ...common(one), at: iso(one.started_at ?? one.at), message: one.message });
const up = (one: Announcement) => ({
  ...common(one),
  at: iso(one.ended_at ?? one.at),
  down_since: iso(one.started_at ?? one.at),
  minutes: one.minutes ?? 0,
});

/**
 * Emits what is to be announced: one event for people and webhooks, and for a monitor that is down or up again a second one for automation,
 * with the fields that triggers have in common. The number of statements is fixed.
 */
export async function announce(known: readonly Announcement[]): Promise<void> {
  const due = known.filter(({ announces }) => announces !== null);
  if (due.length === 0) return;
  const recipients = await recipientsBy(due.map(({ company_id }) => company_id));
  /** The payloads for the monitors of which this is announced. */
  const those = <P extends object>(announced: Announcement["announces"], payload: (one: Announcement) => P) =>
    due.filter(({ announces }) => announces === announced).map((one) => ({ entityId: one.id, payload: payload(one) }));
  const to = (one: Announcement) => ({ recipients: recipients(one.company_id) });
  emitAll(
    "uptime.monitor.down",
    KIND,
    those("down", (one) => ({ ...down(one), ...to(one) })),
  );
  emitAll(
    "uptime.monitor.up",
    KIND,
    those("up", (one) => ({ ...up(one), ...to(one) })),
  );
  emitAll(
    "uptime.monitor.flapping",
    KIND,
    those("flapping", (one) => ({ ...common(one), at: iso(one.at), ...to(one) })),
  );
  emitAll(
    "uptime.monitor_down",
    KIND,
    those("down", (one) => ({ ...down(one), id: one.id, status: "down", from: "up", to: "down" })),
  );
  emitAll(
    "uptime.monitor_up",
    KIND,
    those("up", (one) => ({ ...up(one), id: one.id, status: "up", from: "down", to: "up" })),
  );
}
