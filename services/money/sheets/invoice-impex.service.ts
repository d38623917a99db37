import { exportService } from "../../../mixins/impex/impex.ts";
import { invoiceSheet } from "./invoice.export.ts";

export default exportService(invoiceSheet);
