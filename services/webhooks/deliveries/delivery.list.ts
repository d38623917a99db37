import { listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { choice, optional, text, uuid } from "../../../core/schema/schema.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { DELIVERY_STATUSES, WebhookDelivery } from "../models.ts";
import { WebhookDeliveryRead } from "./delivery-schemas.ts";

/** A delivery as the list shows it. */
export const shownDelivery = projection({ model: WebhookDelivery, schema: WebhookDeliveryRead });

/** The list of deliveries, newest first. */
export const deliveryList = listing(
  {
    table: "webhook_deliveries",
    order: "-created_at",
    sorts: { created_at: { by: "t.created_at" } },
    filters: {
      endpoint_id: { type: "uuid", when: (slot) => `t.endpoint_id = ${slot}` },
      status: { type: "text", when: (slot) => `t.status = ${slot}` },
      event: { type: "text", when: (slot) => `t.event = ${slot}` },
    },
  },
  shownDelivery,
);

/** Parameters of the list other than its order. */
export const deliveryQuery = {
  endpoint_id: optional(uuid()),
  status: optional(choice(DELIVERY_STATUSES)),
  event: optional(text(100)),
};

export const deliveries = rowsOf({ model: WebhookDelivery, projection: shownDelivery, listing: deliveryList });
