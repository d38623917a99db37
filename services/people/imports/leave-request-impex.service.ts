import { impexService } from "../../../mixins/impex/impex.ts";
import { leaveRequest } from "./leave-request.impex.ts";

export default impexService(leaveRequest);
