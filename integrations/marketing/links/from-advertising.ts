import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueUpdate } from "../../../core/database/write.ts";
import type { DomainEvent, EventHook, EventPayload } from "../../../core/declare/events.ts";
import { mayBeWritten } from "../../../core/declare/licence.ts";
import type { OrganisationRun, Subscriptions } from "../../../core/jobs/jobs.ts";
import { LICENCE_COLUMNS, licenceOf, type StoredLicence } from "../../../core/organisation/licence-state.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { scheduleBackfill } from "../jobs/link-jobs.ts";
import { MarketingLink, type MarketingLinkRow } from "../models.ts";
import { detachLink, linkTo } from "./link-writes.ts";

const SOURCE = "gads";
const LICENCE = statement(`select ${LICENCE_COLUMNS} from organisations o where o.id = $1`);
/** Whether the event's client and connection still exist. */
const STILL_THERE = statement(`select exists (select from companies where organisation_id = $1 and id = $2) as company,
  (select id from workspace_connections where organisation_id = $1 and id = $3) as connection_id`);
/** The account as it is now; it cannot leave its client before the running transaction ends. */
const ACCOUNT = statement(`select active and company_id is not distinct from $3 as is_attached from ads_accounts
  where organisation_id = $1 and customer_id = $2 for share`);
/** Active links of the client that lost an account, and of every client but the one that got it. */
const LINKS_TO_LEAVE = statement(`select ${columns(MarketingLink, "l")} from marketing_links l
  where l.organisation_id = $1 and l.source = '${SOURCE}' and l.active
    and exists (select from jsonb_to_recordset($2::jsonb) d (company_id uuid, customer_id text, is_lost boolean)
      where (l.company_id = d.company_id) = d.is_lost and regexp_replace(l.external_id, '[^0-9]', '', 'g') = d.customer_id)
  order by l.id for update of l`);

/**
 * Links a client to the advertising account that it was attached to, matched by its digits (marketing-ads §2.2). Does not notify
 * advertising, which would loop forever (S19). Does nothing while marketing is read-only (S8).
 */
export const linkAccount = (
  { payload }: Pick<DomainEvent<"ads.account.attached">, "payload">,
  run: Pick<OrganisationRun, "organisation" | "write">,
): Promise<void> =>
  run.write(async () => {
    const { id: organisation } = run.organisation;
    const licence = await queryOne<StoredLicence>(LICENCE, [organisation]);
    if (!licence || !mayBeWritten("marketing", licenceOf(licence), Date.now())) return;
    const { company_id, customer_id, descriptive_name, currency, manager_id } = payload;
    const asked = [organisation, company_id, payload.connection_id];
    const there = await queryOne<{ company: boolean; connection_id: string | null }>(STILL_THERE, asked);
    if (!there?.company || customer_id === "") return;
    // The account may have left the client since the event.
    const account = await queryOne<{ is_attached: boolean }>(ACCOUNT, [organisation, customer_id, company_id]);
    if (account && !account.is_attached) return;
    const facts = { ...(currency !== null && { currency }), ...(manager_id !== null && { manager_id }) };
    const existing = await linkTo(company_id, SOURCE, customer_id);
    if (existing) {
      const config = { ...existing.config, ...facts };
      const connection_id = existing.connection_id ?? there.connection_id;
      if (
        existing.active &&
        JSON.stringify(config) === JSON.stringify(existing.config) &&
        connection_id === existing.connection_id
      )
        return;
      // Like linking it again, reactivation clears the last error.
      queueUpdate(MarketingLink, existing.id, {
        active: true,
        config,
        connection_id,
        ...(!existing.active && { last_error: null }),
      });
      return;
    }
    const { connection_id } = there;
    const link = { company_id, source: SOURCE, external_id: customer_id, connection_id, website_id: null };
    const display_name = shortened(descriptive_name || customer_id, 512);
    const id = queueInsert(MarketingLink, { ...link, display_name, config: facts });
    scheduleBackfill({ id, ...link });
  });

/**
 * Deactivates the links of clients to accounts that leave them or are attached to another client, in the same transaction, also while
 * marketing is read-only: from then on the client must not see the account's figures (marketing-ads §2.2). The stored days stay.
 */
export const unlinkAccounts: EventHook = async (events) => {
  const left = events.map(({ name, payload }) => {
    const { company_id, customer_id } = payload as EventPayload<"ads.account.attached" | "ads.account.detached">;
    return { company_id, customer_id, is_lost: name === "ads.account.detached" };
  });
  const links = await query<MarketingLinkRow>(LINKS_TO_LEAVE, [request().organisation.id, JSON.stringify(left)]);
  for (const link of links) detachLink(link);
};

export const fromAdvertising: Subscriptions = { "ads.account.attached": linkAccount };
