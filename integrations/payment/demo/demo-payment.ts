import { queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { randomHex } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { PaymentAccount } from "../models.ts";

const BUSY = statement("select 1 from payment_accounts where organisation_id = $1 limit 1");

/** Adds a test-mode account to the demo organisation, inactive because its key is made up. Does nothing if it has an account. */
export async function fillPayment({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      queueInsert(PaymentAccount, {
        provider: "mollie",
        label: "Mollie (test)",
        api_key: `test_${randomHex(15)}`,
        webhook_secret: randomHex(24),
        mode: "test",
        active: false,
      });
    },
  );
}
