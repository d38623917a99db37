import { impexService } from "../../../mixins/impex.ts";
import { hosting } from "./hosting.impex.ts";

export default impexService(hosting);
