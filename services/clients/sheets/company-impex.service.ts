import { impexService } from "../../../mixins/impex/impex.ts";
import { company } from "./company.impex.ts";

export default impexService(company);
