import { defineModule } from "../../core/declare/module.ts";

/** Address lookup. */
export default defineModule({
  key: "addresslookup",
  kind: "core",
  permissions: { "addresslookup.lookup": { position: 10, grants: ["admin", "member"] } },
  tags: { addresslookup: "Addresses by postal code and house number." },
  operationNames: { "/addresslookup": "addressLookup" },
  parameters: { postal_code: "Postal code, such as `3511 AB`", house_number: "House number with its addition" },
});
