import { impexService } from "../../../mixins/impex/impex.ts";
import { product } from "./product.impex.ts";

export default impexService(product);
