import { addDays } from "../../../core/calendar/dates.ts";
import { enqueue } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { type AdsAccess, searchAds } from "../../../mixins/google-ads/transport.ts";

/** Days to look back each night, the same as for figures. */
const TRAILING = 7;
/** Most changes that the provider returns. */
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

/** The changes of the last days. @param today in the account's zone @throws AdsFailure */
export async function readChanges(access: AdsAccess, today: string): Promise<MirroredChange[]> {
  const query = `SELECT ${FIELDS} FROM change_event WHERE change_event.change_date_time BETWEEN '${addDays(today, -TRAILING)}'
    AND '${addDays(today, 1)}' ORDER BY change_event.change_date_time DESC LIMIT ${LIMIT}`.replace(/\s+/g, " ");
  const rows = await searchAds<Row>(access, query, { operation: "mirror.changes" });
  return rows.flatMap(({ changeEvent: change }) =>
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
