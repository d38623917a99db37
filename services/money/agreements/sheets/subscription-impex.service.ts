import { impexService } from "../../../../mixins/impex/impex.ts";
import { subscription } from "./subscription.impex.ts";

export default impexService(subscription);
