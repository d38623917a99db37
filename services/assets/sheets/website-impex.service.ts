import { impexService } from "../../../mixins/impex/impex.ts";
import { website } from "./website.impex.ts";

export default impexService(website);
