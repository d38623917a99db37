import { impexService } from "../../../mixins/impex.ts";
import { project } from "./project.impex.ts";

export default impexService(project);
