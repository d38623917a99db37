import type { DefineProofs, ModuleProofs } from "../../test/support/fixture/proofs.ts";
import { agreementProofs } from "./agreements/proofs-agreements.ts";
import { documentProofs } from "./documents/proofs-documents.ts";
import { eInvoiceProofs } from "./e-invoices/proofs-e-invoices.ts";
import { mailProofs } from "./mails/proofs-mails.ts";
import { onlineProofs } from "./online/proofs-online.ts";
import { settingProofs } from "./settings/proofs-settings.ts";
import { templateProofs } from "./templates/proofs-templates.ts";

const KINDS = ["makers", "values", "bodies", "arranged", "asked", "personal", "signedIn", "fixedLists", "lists"] as const;

/** Fixtures of money for the generic tests. Only tests load them. */
const proofs: DefineProofs = (tools) => {
  const all = [settingProofs, documentProofs, agreementProofs, mailProofs, onlineProofs, templateProofs, eInvoiceProofs];
  const parts = all.map((define) => define(tools));
  return Object.fromEntries(
    KINDS.map((kind) => [kind, Object.assign({}, ...parts.map((part) => part[kind] ?? {}))]),
  ) as ModuleProofs;
};
export default proofs;
