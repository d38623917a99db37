import { enqueue } from "../../../core/database/query.ts";
import { passwordSignIn } from "../../../core/declare/makers/password-sign-in.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { setSessionCookie } from "../../../core/http/session-cookie.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { openSession } from "../sign-in/sign-in.ts";
import { lockChallenge } from "./challenge.ts";
import { ChallengeVerify } from "./factor-schemas.ts";
import { auditCode, refuseCode } from "./two-factor-outcome.ts";
import { type CodeOutcome, lockFactor, spendCode } from "./two-factors.ts";

const SPEND = statement("update sign_in_challenges set spent_at = now() where organisation_id = $1 and id = $2");

export default service("auth.challenge", {
  actions: {
    verify: passwordSignIn({
      rest: "POST /auth/2fa/verify",
      summary: "Finish a sign-in with a second factor",
      description: "A wrong code leaves the challenge usable; eight in a row lock every factor of the account for 15 minutes.",
      open: "the challenge proves that the password was right",
      needs: "nothing",
      body: ChallengeVerify,
      returns: null,
      status: 200,
      otherStatuses: { 204: "Signed in: the session cookie is set" },
      oneTime: true,
      errors: ["two_factor_challenge_invalid", "two_factor_code_invalid", "two_factor_locked"],
      async handler(ctx) {
        const { challenge_token: token, code, method = "totp" } = ctx.params.body;
        let cookie = "";
        const outcome = await inOwnTransaction(async (): Promise<CodeOutcome> => {
          const { id, account_id: accountId } = await lockChallenge(token);
          const factor = await lockFactor(accountId);
          if (!factor?.confirmed_at) throw refusal("two_factor_challenge_invalid");
          // An unconfirmed number proves no identity: its code completes the enrolment, not a sign-in.
          const usable = factor.phone_confirmed_at === null ? { ...factor, sms_code_hash: null } : factor;
          const spent = spendCode(usable, method, code);
          if (spent === "accepted") {
            enqueue(SPEND, [request().organisation.id, id]);
            cookie = openSession(accountId, "two_factor", ctx.meta);
          } else auditCode(accountId, spent);
          return spent;
        });
        if (outcome !== "accepted") refuseCode(outcome);
        request().headers["Set-Cookie"] = setSessionCookie(cookie);
      },
    }),
  },
});
