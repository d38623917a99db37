import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const edgeFieldTexts = {
  "errors.edge_hostname_not_in_domain": ["The host name is not the domain or a name below it.", "Use a host name of the domain."],
  "errors.edge_record_invalid": [
    "The content does not fit the type of the DNS record.",
    "Send the content as the type needs it, such as an IPv4 address for A.",
  ],
  "errors.edge_target_absolute": [
    "The target of a redirect is not a complete web address.",
    "Send an address that begins with http or https.",
  ],
} satisfies ErrorTexts;
