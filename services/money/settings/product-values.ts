import type { UpdateOf } from "../../../core/database/model.ts";
import { withoutBlanks } from "../../../core/database/write.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { formatPrice } from "../calculation/totals.ts";
import { Product } from "./models.ts";
import type { ProductUpdate } from "./product-schemas.ts";

/**
 * The values that a product stores (money §1): blanks as null, the price with 2 to 4 decimals. Creates and imported rows use it too.
 */
export function productValues({ unit_price: price, ...same }: Static<typeof ProductUpdate>): UpdateOf<typeof Product> {
  return withoutBlanks(Product, { ...same, ...(price !== undefined && { unit_price: formatPrice(price) }) });
}
