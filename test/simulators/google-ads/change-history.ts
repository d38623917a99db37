import type { SimulatedOperation } from "./mutations.ts";
import type { SimulatedCustomer } from "./state.ts";

type Values = Record<string, unknown>;

/** How a change came to the provider. */
export type ClientType = "GOOGLE_ADS_API" | "GOOGLE_ADS_WEB_CLIENT";

/** Types of objects in the change history; it leaves out shared lists. */
const TYPES = new Set(["ad_group", "ad_group_ad", "ad_group_criterion", "campaign", "campaign_budget", "campaign_criterion"]);

const camel = (text: string) => text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snake = (text: string) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The wall clock of an account, as the provider dates changes. */
const clockOf = ({ values: { timeZone } }: SimulatedCustomer): string =>
  `${new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(Date.now())}.500000`;

let counter = 0;

/** Adds an executed operation to the change history of its account. */
export function recordChange(
  customer: SimulatedCustomer,
  resource: string,
  change: SimulatedOperation & { name: string; before: Values; client: ClientType },
): void {
  if (!TYPES.has(resource)) return;
  const { create, update, updateMask = "", name, before, client } = change;
  const fields = updateMask.split(",").filter((field) => field !== "");
  const some = (values: Values) =>
    Object.fromEntries(fields.flatMap((field) => (values[field] === undefined ? [] : [[field, values[field]]])));
  const side = (values: Values) => ({ [camel(resource)]: values });
  customer.put("change_event", `changeEvents/${++counter}`, {
    changeDateTime: clockOf(customer),
    changeResourceName: name,
    changeResourceType: resource.toUpperCase(),
    resourceChangeOperation: create ? "CREATE" : update ? "UPDATE" : "REMOVE",
    clientType: client,
    ...(update && {
      changedFields: fields.map(snake).join(","),
      oldResource: side(some(before)),
      newResource: side(some(update)),
    }),
    ...(create && { newResource: side({ ...create }) }),
  });
}
