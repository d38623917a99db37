import { impexService } from "../../../../mixins/impex.ts";
import { timeEntry } from "./time-entry.impex.ts";

export default impexService(timeEntry);
