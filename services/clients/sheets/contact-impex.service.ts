import { impexService } from "../../../mixins/impex.ts";
import { contact } from "./contact.impex.ts";

export default impexService(contact);
