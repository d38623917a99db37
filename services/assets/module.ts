import { defineModule } from "../../core/declare/module.ts";
import { domains } from "./domains/manifest.ts";
import { hosting } from "./hosting/manifest.ts";
import { providers } from "./providers/manifest.ts";
import { websites } from "./websites/manifest.ts";

declare module "../../core/custom-fields/values.ts" {
  interface CustomRecords {
    domain: true;
    hosting: true;
    website: true;
  }
}

/** The contact parties of domains, websites and hosting. */
const parties = defineModule({
  key: "parties",
  kind: "core",
  errors: { 400: ["invalid_party"] },
  errorTexts: {
    invalid_party: [
      "The type and id of a party do not match: an agency has no id, a colleague and a contact have one. Or the client, colleague or contact does not exist for the caller.",
      "Send a type with the id of a record that the caller sees.",
    ],
  },
});

export default [domains, websites, hosting, providers, parties];
