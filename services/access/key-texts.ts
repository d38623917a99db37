import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const accessFieldTexts = {
  "errors.apikey_expiry_past": [
    "The key would expire at an instant that has passed.",
    "Send a later instant, or null for a key without expiry.",
  ],
  "errors.apikey_expiry_too_far": [
    "The key would be valid for more than 366 days.",
    "Send an earlier instant, or null for a key without expiry.",
  ],
  "errors.apikey_unknown_scope": [
    "A scope is not a permission of the catalogue, or the caller does not hold it.",
    "Use permissions of `GET /permissions/catalog` that the caller holds.",
  ],
  "errors.portal_email_required": [
    "A client login needs an e-mail address, and neither the call nor the contact has one.",
    "Send `email`, or add an address to the contact.",
  ],
} satisfies ErrorTexts;

/** Keys that stored results carry. */
export const accessResultTexts = {
  "errors.sso_address_refused": [
    "The discovery address of the identity provider leads into the service's own network, or is not https.",
    "Use a public https address, or ask the operator to allow the range.",
  ],
  "errors.sso_discovery_failed": [
    "The identity provider answered its discovery address with a status other than 200.",
    "Check the discovery address; it ends in `/.well-known/openid-configuration`.",
  ],
  "errors.sso_discovery_invalid": [
    "The discovery document lacks what signing in needs, or names another issuer.",
    "Check that the address belongs to an OpenID Connect provider.",
  ],
  "errors.sso_unreachable": [
    "No connection to the identity provider was possible.",
    "Check that the provider runs and that its certificate is valid.",
  ],
} satisfies ErrorTexts;
