import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { queueRemove } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { list } from "../../../core/schema/schema.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { TldPrice } from "./models.ts";
import { tldGroups } from "./tld-groups.ts";
import { TldPriceGroup, TldPriceIncrease, TldPriceIncreaseResult, TldPriceRead, TldPriceUpsert } from "./tld-schemas.ts";
import { increaseTldPrices, putPrice } from "./tld-writes.ts";

const prices = rowsOf({ model: TldPrice, projection: projection({ model: TldPrice, schema: TldPriceRead }) });

const increase =
  "By a percentage, by an amount, or set to it, never below zero. It starts from the newest price before `valid_from`, so the same date again replaces it.";

export default resource("domains.tld-prices", {
  model: TldPrice,
  actions: {
    list: action({
      rest: "GET /domains/tld-prices",
      summary: "What domains cost a year, by TLD",
      description:
        "Includes TLDs without a price that domains have. With `updated_since` only TLDs of which a price was set or corrected since, each with all its prices.",
      permission: "domains.tld_price.read",
      query: sinceQuery,
      returns: list(TldPriceGroup),
      handler: (ctx) => tldGroups(ctx.params.updated_since),
    }),

    put: action({
      rest: "POST /domains/tld-prices",
      verb: "set",
      summary: "Set the price of a TLD from a day on",
      description: "The row of that day, today unless sent, is corrected; any other stays as it is.",
      permission: "domains.tld_price.manage",
      body: TldPriceUpsert,
      example: { tld: "nl", amount: "14.50", valid_from: "2026-07-01" },
      returns: TldPriceRead,
      status: 200,
      handler: (ctx) => putPrice(ctx.params.body),
    }),

    remove: action({
      rest: "DELETE /domains/tld-prices/:price_id",
      summary: "Delete a price of a TLD",
      permission: "domains.tld_price.manage",
      async handler(ctx) {
        const id = ctx.params.price_id;
        await prices.forWrite(id);
        queueRemove(TldPrice, id);
      },
    }),

    increase: action({
      rest: "POST /domains/tld-prices/price-increase",
      verb: "apply",
      summary: "Raise the prices of TLDs from a day on",
      description: increase,
      permission: "domains.tld_price.manage",
      body: TldPriceIncrease,
      example: { mode: "percent", value: "4", valid_from: "2027-01-01", tld: "nl" },
      returns: TldPriceIncreaseResult,
      status: 200,
      errors: ["not_found"],
      handler: (ctx) => increaseTldPrices(ctx.params.body, true),
    }),

    preview: action({
      rest: "POST /domains/tld-prices/price-increase/preview",
      summary: "Preview the prices after an increase; nothing is written",
      description: increase,
      permission: "domains.tld_price.manage",
      body: TldPriceIncrease,
      example: { mode: "percent", value: "4", valid_from: "2027-01-01", tld: "nl" },
      returns: TldPriceIncreaseResult,
      status: 200,
      errors: ["not_found"],
      handler: (ctx) => increaseTldPrices(ctx.params.body, false),
    }),
  },
});
