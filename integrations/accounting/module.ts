import { defineModule } from "../../core/declare/module.ts";

/** The books of accounting providers, into which issued documents are exported (money §15). Its permissions are those of invoicing. */
export default defineModule({
  key: "accounting",
  kind: "core",
  errors: { 400: ["validation errors.invoicing.provider_unknown"] },
  errorTexts: {
    "validation errors.invoicing.provider_unknown": [
      "`provider` is not the key of an accounting provider that the operator configured.",
      "Send a key of `GET /invoicing/providers`; if that list is empty, ask the operator to configure a provider.",
    ],
  },
  references: { "external_refs.local_id": { kind: "local_type", oneBy: ["provider"] } },
  tables: ["external_refs"],
  parameters: {
    provider: "Key of the accounting package, as `GET /invoicing/providers` lists it",
  },
});
