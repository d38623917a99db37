import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const registrarFieldTexts = {
  "errors.invalid_hostname": [
    "A name server is not a valid host name with a dot in it.",
    "Send complete host names, such as `ns1.example.net`.",
  ],
  "errors.invalid_nameserver_count": ["A domain has 2 to 6 name servers.", "Send 2 to 6 different host names."],
} satisfies ErrorTexts;
