import { addDays } from "../../../core/calendar/calendar.ts";
import { queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueUpdate } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { Invoice } from "../documents/models.ts";
import { DunningNotice, DunningPause } from "./models.ts";
import { lateInvoices } from "./notices/facts.ts";
import { nextNoticeOf } from "./notices/notice.ts";
import { readDunning } from "./settings/settings-rows.ts";

const BUSY = statement(`select 1 from dunning_notices where organisation_id = $1
  union all select 1 from dunning_pauses where organisation_id = $1 limit 1`);
/** How long ago the demo's notice was sent, in days. */
const AGO = 3;

/** Adds a notice of the invoice that is late for the longest time, and a pause of another client, to the demo organisation, once. */
export async function fillDunning({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const today = organisationToday();
      const late = await lateInvoices(today, null);
      const [first] = late;
      if (!first) return;
      const ids = demoIds(organisation);
      const on = addDays(today, -AGO);
      const notice = nextNoticeOf(first, await readDunning(), { on, byPost: false, brand: organisation.name });
      if (notice) {
        queueInsert(DunningNotice, { ...notice, invoice_id: first.invoice_id, sent_to: first.customer.email ?? null });
        queueUpdate(Invoice, first.invoice_id, { dunning_level: notice.level });
      }
      const other = late.find(({ company_id }) => company_id !== first.company_id);
      if (other)
        queueInsert(DunningPause, {
          id: ids("invoicing/dunning/pauses"),
          company_id: other.company_id,
          reason: "Betalingsregeling afgesproken",
          until: addDays(today, 30),
        });
    },
  );
}
