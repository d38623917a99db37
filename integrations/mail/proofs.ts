import type { DefineProofs } from "../../test/support/fixture/proofs.ts";

/** Fixtures of mail for the generic tests. Only the tests load it. */
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
