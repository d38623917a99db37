import { enqueue } from "../../../core/database/query.ts";
import { passwordSignIn } from "../../../core/declare/makers/password-sign-in.ts";
import { invalid, refusal } from "../../../core/errors/errors.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { mailFactorChange } from "../accounts/account-news.ts";
import { callerOf, refuseSso } from "../own-session.ts";
import { lockChallenge } from "./challenge.ts";
import { maskedPhone, plainPhone } from "./codes.ts";
import { ChallengeSms, CodeIn, SmsSendOut, SmsSetupIn } from "./factor-schemas.ts";
import { requireGateway, sendCode } from "./sms-codes.ts";
import { auditCode, refuseCode } from "./two-factor-outcome.ts";
import { lockFactor, spendCode } from "./two-factors.ts";

const CONFIRM = statement("update two_factors set phone_confirmed_at = now(), updated_at = now() where account_id = $1");
const REMOVE =
  statement(`update two_factors set phone = null, phone_confirmed_at = null, sms_code_hash = null, sms_expires_at = null,
    updated_at = now() where account_id = $1`);

const shared = { open: "concerns only the caller's own second factor", needs: "session" } as const;

export default service("auth.sms", {
  actions: {
    setup: passwordSignIn({
      ...shared,
      rest: "POST /auth/2fa/sms/setup",
      summary: "Add a phone number to a confirmed second factor; a code is sent to it",
      body: SmsSetupIn,
      returns: SmsSendOut,
      status: 200,
      errors: ["sms_not_configured", "two_factor_not_enabled", "sms_resend_too_soon", "two_factor_locked"],
      async handler(ctx) {
        await refuseSso(ctx.meta);
        requireGateway();
        const factor = await lockFactor(callerOf(ctx.meta.principal).accountId);
        if (!factor?.confirmed_at) throw refusal("two_factor_not_enabled");
        const phone = plainPhone(ctx.params.body.phone);
        if (phone === null) throw invalid({ phone: "errors.invalid_phone" });
        await sendCode(factor, phone);
        if (factor.phone_confirmed_at !== null && factor.phone !== phone) await mailFactorChange(factor.account_id, "no-phone");
        return { phone_masked: maskedPhone(phone) };
      },
    }),

    confirm: passwordSignIn({
      ...shared,
      rest: "POST /auth/2fa/sms/confirm",
      summary: "Confirm the phone number with the code that was sent to it",
      body: CodeIn,
      errors: ["two_factor_not_enabled", "two_factor_code_invalid", "two_factor_locked"],
      async handler(ctx) {
        await refuseSso(ctx.meta);
        const { accountId } = callerOf(ctx.meta.principal);
        const outcome = await inOwnTransaction(async () => {
          const factor = await lockFactor(accountId);
          if (!factor?.confirmed_at || factor.phone === null || factor.phone_confirmed_at !== null)
            throw refusal("two_factor_not_enabled");
          const spent = spendCode(factor, "sms", ctx.params.body.code);
          if (spent === "accepted") {
            enqueue(CONFIRM, [accountId]);
            await mailFactorChange(accountId, "phone");
          } else auditCode(accountId, spent);
          return spent;
        });
        if (outcome !== "accepted") refuseCode(outcome);
      },
    }),

    remove: passwordSignIn({
      ...shared,
      rest: "DELETE /auth/2fa/sms",
      summary: "Remove the phone number; app and backup codes stay",
      async handler(ctx) {
        await refuseSso(ctx.meta);
        const { accountId } = callerOf(ctx.meta.principal);
        const factor = await lockFactor(accountId);
        enqueue(REMOVE, [accountId]);
        if (factor?.phone_confirmed_at) await mailFactorChange(accountId, "no-phone");
      },
    }),

    challenge: passwordSignIn({
      rest: "POST /auth/2fa/challenge/sms",
      verb: "send",
      summary: "Send a code to the confirmed number, to finish a sign-in with",
      open: "the challenge proves that the password was right",
      needs: "nothing",
      body: ChallengeSms,
      returns: SmsSendOut,
      status: 200,
      errors: ["two_factor_challenge_invalid", "sms_not_configured", "sms_resend_too_soon", "two_factor_locked"],
      async handler(ctx) {
        const { account_id: accountId } = await lockChallenge(ctx.params.body.challenge_token);
        requireGateway();
        const factor = await lockFactor(accountId);
        if (!factor?.confirmed_at) throw refusal("two_factor_challenge_invalid");
        if (factor.phone === null || factor.phone_confirmed_at === null) throw refusal("sms_not_configured");
        await sendCode(factor, factor.phone);
        return { phone_masked: maskedPhone(factor.phone) };
      },
    }),
  },
});
