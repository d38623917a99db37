import { exportService } from "../../../mixins/impex.ts";
import { invoiceSheet } from "./invoice.export.ts";

export default exportService(invoiceSheet);
