import { impexService } from "../../../mixins/impex/impex.ts";
import { tldPrice } from "./tld-price.impex.ts";

export default impexService(tldPrice);
