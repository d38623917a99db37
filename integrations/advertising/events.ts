import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { nullable, Type, uuid } from "../../core/schema/schema.ts";

const text = (description: string) => Type.String({ description });
const id = (description: string) => ({ ...uuid(), description });

/** Events of advertising accounts (marketing-ads §3.2). */
export const advertisingEvents = {
  "ads.account.attached": event("ads_account", "An advertising account was assigned to a client, or assigned again", {
    account_id: id("The account"),
    company_id: id("The client"),
    customer_id: text("The provider's id of the account, digits only"),
    descriptive_name: text("Its name"),
    currency: nullable(text("Currency of its amounts, ISO 4217; null if unknown")),
    manager_id: nullable(text("The manager through which it is called, digits only; null without one")),
    connection_id: nullable(id("The connection that it is called with; null without one")),
  }),
  "ads.account.detached": event(
    "ads_account",
    "An advertising account moved away from a client: to another one, to none, or because it was unlinked",
    {
      account_id: id("The account"),
      company_id: id("The client that it belonged to"),
      customer_id: text("The provider's id of the account, digits only"),
    },
  ),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof advertisingEvents> {}
}
