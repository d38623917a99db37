import { actionConfig, automationCall } from "../../../core/declare/automation.ts";

/** The configuration of `invoice.send`: none, because it mails the invoice that triggered the rule. */
export const SendInvoiceConfig = actionConfig(
  "invoice.send",
  "Mails the invoice that triggered the rule to its bill-to address, with its PDF. Fails without such an address, or if the invoice is neither open nor paid.",
  {},
  { texts: {}, example: {} },
);
export const SendInvoiceCall = automationCall(SendInvoiceConfig);
