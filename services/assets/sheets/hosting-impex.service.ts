import { impexService } from "../../../mixins/impex/impex.ts";
import { hosting } from "./hosting.impex.ts";

export default impexService(hosting);
