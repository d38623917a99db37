import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { list, Type, uuid } from "../../core/declare/schema.ts";

/** What rules of automation tell people. */
export const automationEvents = {
  "automation.notify": event(
    null,
    "A rule of automation tells people something about the record that set it off. Recipients: those the rule names.",
    { message: Type.String(), rule: Type.String(), recipients: list(uuid()) },
  ),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof automationEvents> {}
}
