import { impexService } from "../../../mixins/impex/impex.ts";
import { domain } from "./domain.impex.ts";

export default impexService(domain);
