import { impexService } from "../../../../mixins/impex.ts";
import { subscription } from "./subscription.impex.ts";

export default impexService(subscription);
