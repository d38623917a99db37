import { impexService } from "../../../mixins/impex/impex.ts";
import { project } from "./project.impex.ts";

export default impexService(project);
