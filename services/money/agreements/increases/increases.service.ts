import { action } from "../../../../core/declare/action.ts";
import { service } from "../../../../mixins/resource.ts";
import { UNKNOWN_REFERENCE } from "../../refusals.ts";
import { PriceIncrease, PriceIncreaseResult } from "./increase-schemas.ts";
import { increasePrices } from "./price-increase.ts";

const description =
  "For one type, one agreement, one preset, or all agreements that are not cancelled. It starts from the newest price before `valid_from`, so the same date again replaces it. Presets, by `include_templates` or as the scope, need `subscriptions.template.manage`.";

export default service("subscriptions.increases", {
  actions: {
    apply: action({
      rest: "POST /subscriptions/price-increase",
      verb: "apply",
      summary: "Raise the prices of agreements from a day on",
      description,
      permission: "subscriptions.subscription.write",
      body: PriceIncrease,
      example: {
        subscription_type_id: "a0eecedf-0c1e-4a5b-8d2f-a0eecedf0001",
        include_templates: true,
        mode: "percent",
        value: "5",
        valid_from: "2027-01-01",
      },
      returns: PriceIncreaseResult,
      status: 200,
      errors: [UNKNOWN_REFERENCE, "not_found"],
      handler: (ctx) => increasePrices(ctx.params.body, true),
    }),

    preview: action({
      rest: "POST /subscriptions/price-increase/preview",
      summary: "Preview the prices after an increase; nothing is written",
      description,
      permission: "subscriptions.subscription.write",
      body: PriceIncrease,
      example: {
        subscription_type_id: "a0eecedf-0c1e-4a5b-8d2f-a0eecedf0001",
        include_templates: true,
        mode: "percent",
        value: "5",
        valid_from: "2027-01-01",
      },
      returns: PriceIncreaseResult,
      status: 200,
      errors: [UNKNOWN_REFERENCE, "not_found"],
      handler: (ctx) => increasePrices(ctx.params.body, false),
    }),
  },
});
