import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { nullable, Type, uuid } from "../../core/schema/schema.ts";

const text = (description: string) => Type.String({ description });
const id = (description: string) => ({ ...uuid(), description });

/** Events of links between clients and metric sources (marketing-ads §2.2). */
export const marketingEvents = {
  "marketing.link.attached": event("marketing_link", "A client was linked to an account at a metric source, or linked again", {
    link_id: id("The link"),
    company_id: id("The client"),
    source: text("The source, such as `ga4`"),
    external_id: text("The account at the source, spelled as it was sent"),
    display_name: text("Its name"),
    currency: nullable(text("Currency of its amounts, ISO 4217; null if unknown")),
    manager_id: nullable(text("The manager through which an advertising account is called; null without one")),
    connection_id: nullable(id("The connection that it is read with; null without one")),
  }),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof marketingEvents> {}
}
