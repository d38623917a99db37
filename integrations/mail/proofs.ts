import type { DefineProofs } from "../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of mail. Loaded by the tests alone. */
const proofs: DefineProofs = () => ({
  values: {
    from_address: () => "post@example.com",
    host: () => "relay.example.com",
    provider: () => "smtp",
    reply_to: () => "answers@example.com",
  },
  fixedLists: {
    "GET /settings/email/templates": "one entry per kind of mail and language, not per row",
  },
});
export default proofs;
