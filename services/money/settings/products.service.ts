import { sinceQuery } from "../../../core/database/lists/list.ts";
import type { InsertOf } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { flag, list, optional } from "../../../core/schema/schema.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { Product } from "./models.ts";
import { ProductCreate, ProductRead, ProductUpdate } from "./product-schemas.ts";
import { productValues } from "./product-values.ts";

const shown = projection({ model: Product, schema: ProductRead });
const products = rowsOf({
  model: Product,
  projection: shown,
  whole: { order: "t.position, t.name collate kantoor_text, t.id", by: { active: "boolean" } },
});

export default resource("invoicing.products", {
  model: Product,
  actions: {
    list: action({
      rest: "GET /invoicing/products",
      summary: "List products, by position and name",
      permission: "invoicing.invoice.read:any",
      query: { include_inactive: optional(flag(false)), ...sinceQuery },
      returns: list(ProductRead),
      handler({ params: { include_inactive: all, updated_since } }) {
        return products.all({ active: all ? undefined : true, updated_since });
      },
    }),

    create: action({
      rest: "POST /invoicing/products",
      summary: "Add a product",
      permission: "invoicing.settings.manage",
      body: ProductCreate,
      example: {
        name: "Hosting en certificaat, per jaar",
        code: "HOST-1",
        unit: "jaar",
        unit_price: "180.00",
        tax_rate_id: "0e16cdf3-0c1e-4a5b-8d2f-0e16cdf30001",
      },
      returns: ProductRead,
      errors: ["conflict"],
      handler: (ctx) => products.answerWith(queueInsert(Product, productValues(ctx.params.body) as InsertOf<typeof Product>)),
    }),

    update: action({
      rest: "PATCH /invoicing/products/:product_id",
      summary: "Change a product; lines that were made from it stay as they are",
      permission: "invoicing.settings.manage",
      body: ProductUpdate,
      example: { unit_price: "189.00" },
      returns: ProductRead,
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.product_id;
        const before = await products.forWrite(id);
        const changed = differences(before, productValues(ctx.params.body));
        if (changed) queueUpdate(Product, id, changed);
        return products.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /invoicing/products/:product_id",
      summary: "Delete a product",
      permission: "invoicing.settings.manage",
      async handler(ctx) {
        const id = ctx.params.product_id;
        await products.forWrite(id);
        queueRemove(Product, id);
      },
    }),
  },
});
