import { addDays } from "../../../core/calendar/dates.ts";
import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { AdsFailure } from "../../../mixins/google-ads/failure.ts";
import { type AdsAccess, searchAds } from "../../../mixins/google-ads/transport.ts";

/** Days to look back each night, the same as for figures. */
const TRAILING = 7;
/** Most changes that the provider returns for one query. */
const LIMIT = 10_000;

interface Row {
  changeEvent?: {
    changeDateTime?: string;
    changeResourceName?: string;
    changeResourceType?: string;
    resourceChangeOperation?: string;
    clientType?: string;
    userEmail?: string;
    campaign?: string;
    adGroup?: string;
    changedFields?: string;
  };
}

const FIELDS = [
  "change_date_time",
  "change_resource_name",
  "change_resource_type",
  "resource_change_operation",
  "client_type",
  "user_email",
  "campaign",
  "ad_group",
  "changed_fields",
]
  .map((field) => `change_event.${field}`)
  .join(", ");

/** A stored change; its time is in the account's zone. */
export type MirroredChange = Record<string, string | null>;

const changesOf = (rows: readonly Row[]): MirroredChange[] =>
  rows.flatMap(({ changeEvent: change }) =>
    change?.changeDateTime && change.changeResourceName
      ? [
          {
            changed_at: change.changeDateTime,
            resource_name: change.changeResourceName,
            operation: change.resourceChangeOperation ?? "UNSPECIFIED",
            resource_type: change.changeResourceType ?? null,
            client_type: change.clientType ?? null,
            user_email: change.userEmail ?? null,
            campaign: change.campaign ?? null,
            ad_group: change.adGroup ?? null,
            changed_fields: change.changedFields ?? null,
          },
        ]
      : [],
  );

/** The end of the second in which the last of some rows changed, in the account's zone. @throws AdsFailure */
function endOfSecond(rows: readonly Row[]): string {
  const [second] = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(rows.at(-1)?.changeEvent?.changeDateTime ?? "") ?? [];
  if (second === undefined) throw AdsFailure.unreadable(200, "a change has no time");
  return `${second}.999999`;
}

/**
 * Reads the changes of the last days, newest first, and passes each answer to `each`. One answer has the newest changes up to the
 * provider's limit, so a full one is followed by a read of the changes up to its oldest second; the changes of that second arrive twice.
 * @param today in the account's zone
 * @throws AdsFailure, also if more changes of one second exist than an answer holds: the older ones cannot be reached
 */
export async function readChanges(
  access: AdsAccess,
  today: string,
  each: (changes: MirroredChange[]) => Promise<void>,
): Promise<void> {
  const from = `${addDays(today, -TRAILING)} 00:00:00`;
  let until = `${addDays(today, 1)} 00:00:00`;
  for (;;) {
    const query = `SELECT ${FIELDS} FROM change_event WHERE change_event.change_date_time BETWEEN '${from}' AND '${until}'
      ORDER BY change_event.change_date_time DESC LIMIT ${LIMIT}`.replace(/\s+/g, " ");
    const rows = await searchAds<Row>(access, query, { operation: "mirror.changes" });
    await each(changesOf(rows));
    if (rows.length < LIMIT) return;
    const next = endOfSecond(rows);
    if (next >= until) throw AdsFailure.unreadable(200, `more than ${LIMIT} changes of one second`);
    until = next;
  }
}

const STORE =
  statement(`insert into ads_changes (organisation_id, account_id, changed_at, resource_name, operation, resource_type, client_type,
    user_email, campaign, ad_group, changed_fields)
  select $1, $2, r.changed_at, r.resource_name, r.operation, r.resource_type, r.client_type, r.user_email, r.campaign, r.ad_group,
    r.changed_fields
  from jsonb_to_recordset($3::jsonb) r (changed_at timestamp, resource_name text, operation text, resource_type text, client_type text,
    user_email text, campaign text, ad_group text, changed_fields text)
  on conflict (organisation_id, account_id, changed_at, resource_name, operation) do nothing`);

/** Stores changes in the running transaction; keeps those stored already. */
export function storeChanges(accountId: string, changes: readonly MirroredChange[]): void {
  if (changes.length > 0) enqueue(STORE, [request().organisation.id, accountId, JSON.stringify(changes)]);
}
