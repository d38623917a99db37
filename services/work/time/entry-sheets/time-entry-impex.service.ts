import { impexService } from "../../../../mixins/impex/impex.ts";
import { timeEntry } from "./time-entry.impex.ts";

export default impexService(timeEntry);
