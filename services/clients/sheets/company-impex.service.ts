import { impexService } from "../../../mixins/impex.ts";
import { company } from "./company.impex.ts";

export default impexService(company);
