import { queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoId } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { newSecret } from "../deliveries/signing.ts";
import { chosenEvents } from "../endpoints/endpoint-rules.ts";
import { WebhookEndpoint } from "../models.ts";

const BUSY = statement("select 1 from webhook_endpoints where organisation_id = $1 limit 1");

/**
 * Adds a local webhook to the demo organisation unless it has any. It is disabled until there is a receiver (docs/tour.md, "Get notified").
 */
export async function fillWebhooks({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      queueInsert(WebhookEndpoint, {
        id: demoId("webhooks/endpoints", 0, organisation.slug),
        name: "Lokale echo",
        url: "http://127.0.0.1:4000/",
        events: chosenEvents(["company.created", "task.created", "invoice.paid"]),
        enabled: false,
        secret: newSecret(),
      });
    },
  );
}
