import { type BulkEntity, bulkUpdate } from "../../../core/bulk/entity.ts";
import { isNamed, lookup, oneOf, reference } from "../../../core/bulk/readers.ts";
import { lockedRows, lockingRows, withinSelection } from "../../../core/bulk/rows.ts";
import { clientReference } from "../../../mixins/named/client-reference.ts";
import { subscriptions, visibleSubscription } from "./subscription.list.ts";
import { SUBSCRIPTION_STATUSES, SubscriptionUpdate } from "./subscription-schemas.ts";
import { changeSubscription, removeSubscription } from "./subscription-writes.ts";

const SEEN = lockingRows("subscriptions", withinSelection(visibleSubscription));
const TYPE = lookup(
  "subscription_types",
  `${isNamed("t.key")} or exists (select 1 from jsonb_each_text(t.label_i18n) l(locale, label) where ${isNamed("l.label")})`,
);

/** Bulk edits of recurring agreements (platform §3). */
export const subscriptionsInBulk: BulkEntity = {
  plural: "recurring agreements",
  seen: (ids) => lockedRows(SEEN, ids),
  update: bulkUpdate(
    {
      status: { field: "status", read: oneOf(SUBSCRIPTION_STATUSES) },
      type: {
        field: "subscription_type_id",
        read: reference("the id, key or label of a type of agreements", () => TYPE),
        clearable: true,
      },
      company: { field: "company_id", read: clientReference() },
    },
    SubscriptionUpdate,
    async (id, values) => changeSubscription(await subscriptions.forWrite(id), values),
  ),
  remove: removeSubscription,
};
