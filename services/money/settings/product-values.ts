import type { UpdateOf } from "../../../core/database/model.ts";
import { withoutBlanks } from "../../../core/database/write.ts";
import { invalid } from "../../../core/declare/errors.ts";
import type { Static } from "../../../core/declare/schema.ts";
import { formatPrice } from "../calculation/totals.ts";
import { Product } from "./models.ts";
import type { ProductUpdate } from "./product-schemas.ts";

/**
 * What a product stores of what was sent (money §1): blanks null, the price with 2 to 4 decimals. A create and a row of a sheet go by it too.
 * @throws 422 `name` for a blank one
 */
export function productValues({ unit_price: price, ...same }: Static<typeof ProductUpdate>): UpdateOf<typeof Product> {
  if (same.name?.trim() === "") throw invalid({ name: "errors.validation" });
  return withoutBlanks(Product, { ...same, ...(price !== undefined && { unit_price: formatPrice(price) }) });
}
