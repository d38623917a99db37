import type { Step } from "../step.ts";
import { channelTables } from "./0026-notifications/channels.ts";
import { deliveryTables } from "./0026-notifications/deliveries.ts";
import { inboxTables } from "./0026-notifications/inbox.ts";
import { pushTables } from "./0026-notifications/push.ts";

/** Notifications, people's preferences for them, and their deliveries; each part in a file of this step's folder. */
const step: Step = {
  async up(context) {
    await inboxTables(context);
    await channelTables(context);
    await pushTables(context);
    await deliveryTables(context);
  },
};

export default step;
