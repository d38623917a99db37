import { query } from "../../../core/database/query.ts";
import { grantsReading } from "../../../core/declare/records.ts";
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
export async function recipientsBy(companyIds: readonly (string | null)[]): Promise<(companyId: string | null) => string[]> {
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
