import { queryOne } from "../../../core/database/query.ts";
import type { DomainEvent } from "../../../core/declare/events.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { attachAccount, lockedByCustomer } from "./account-writes.ts";
import { customerIdIn } from "./customer-id.ts";

/** Marketing's source key of Google Ads. */
const SOURCE = "gads";
/** Whether the event's client and connection still exist. */
const STILL_THERE = statement(`select exists (select from companies where organisation_id = $1 and id = $2) as company,
  (select id from workspace_connections where organisation_id = $1 and id = $3) as connection_id`);

/**
 * Adds an advertising account when marketing links a client to Google Ads (marketing-ads §2.2). Keeps an account's stored values, and its
 * client while it is linked. Does not notify marketing, which would loop forever (S19).
 */
export const attachedByMarketing = {
  module: "ads_platform",
  handler: (
    { payload }: Pick<DomainEvent<"marketing.link.attached">, "payload">,
    run: Pick<OrganisationRun, "organisation" | "write">,
  ): Promise<void> =>
    run.write(async () => {
      const { source, external_id, company_id, display_name, currency, manager_id, connection_id } = payload;
      const customerId = customerIdIn(external_id);
      if (source !== SOURCE || customerId === null) return;
      const there = await queryOne<{ company: boolean; connection_id: string | null }>(STILL_THERE, [
        run.organisation.id,
        company_id,
        connection_id,
      ]);
      if (!there?.company) return;
      const existing = await lockedByCustomer(customerId);
      const isTaken = existing?.active === true && existing.company_id !== null;
      attachAccount(customerId, existing, {
        company_id: isTaken ? existing.company_id : company_id,
        descriptive_name: existing ? null : shortened(display_name, 255),
        login_customer_id: existing?.login_customer_id ?? customerIdIn(manager_id ?? ""),
        currency_code: existing?.currency_code ?? currency,
        connection_id: existing?.connection_id ?? there.connection_id,
      });
    }),
};
