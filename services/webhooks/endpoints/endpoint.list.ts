import { listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { WebhookEndpoint } from "../models.ts";
import { WebhookEndpointRead } from "./endpoint-schemas.ts";

/** An endpoint in responses, without its secrets. */
export const shownEndpoint = projection({ model: WebhookEndpoint, schema: WebhookEndpointRead });

/** The list of endpoints. An organisation has few, so orders other than by name need no index. */
export const endpointList = listing(
  {
    table: "webhook_endpoints",
    order: "name",
    sorts: { name: { by: "t.name", text: true }, created_at: { by: "t.created_at", unindexed: true } },
  },
  shownEndpoint,
);

export const endpoints = rowsOf({ model: WebhookEndpoint, projection: shownEndpoint, listing: endpointList });
