import { untenanted } from "../../../core/declare/makers/untenanted.ts";
import { Type } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { calledBack } from "./callbacks.ts";

const OWN_ADDRESS = "money §11: the token in the address is the credential and names the organisation, on any host";

/** Callbacks of payment providers (money §11). */
export default service("invoicing.payment-callbacks", {
  actions: {
    receive: untenanted({
      rest: "POST /invoicing/payments/webhook/:provider/:token",
      verb: "receive",
      summary: "Callback of a payment provider",
      description: "Any host name. Answers a bare status: 200, 404 for an unknown address, 503 to request a retry.",
      open: OWN_ADDRESS,
      path: { provider: Type.String(), token: Type.String({ description: "The secret in the account's callback address" }) },
      returns: null,
      status: 200,
      otherStatuses: { 404: "No such address", 503: "The provider is to call again later" },
      exceptions: { host: OWN_ADDRESS, malformed: "the sender only needs the status, whatever the body" },
      async handler(ctx) {
        return { status: await calledBack(ctx.params) };
      },
    }),
  },
});
