import { impexService } from "../../../mixins/impex.ts";
import { task } from "./task.impex.ts";

export default impexService(task);
