import { impexService } from "../../../mixins/impex/impex.ts";
import { task } from "./task.impex.ts";

export default impexService(task);
