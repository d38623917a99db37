import { impexService } from "../../../mixins/impex/impex.ts";
import { contact } from "./contact.impex.ts";

export default impexService(contact);
