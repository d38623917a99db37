import { enqueue, queryOne, queryOutside } from "../../../core/database/query.ts";
import { seal } from "../../../core/database/sealed.ts";
import { passwordSignIn } from "../../../core/declare/makers/password-sign-in.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { smsAvailable } from "../../../core/mail/sms.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { ACCOUNT, type Account } from "../accounts/account-changes.ts";
import { mailFactorChange } from "../accounts/account-news.ts";
import { isCurrentPassword } from "../accounts/current-password.ts";
import { callerOf, refuseSso } from "../own-session.ts";
import { codeDigest, enrolmentAddress, maskedPhone, newBackupCodes, newTotpSecret, plainBackupCode } from "./codes.ts";
import { BackupCodesOut, CodeIn, DisableIn, TwoFactorSetupOut, TwoFactorStatus } from "./factor-schemas.ts";
import { auditCode, refuseCode } from "./two-factor-outcome.ts";
import { FACTOR, type Factor, lockFactor, secretPlace, spendCode } from "./two-factors.ts";

const BRAND = statement("select brand_name from organisations where id = $1");
const ENROL = statement(`insert into two_factors (account_id, secret) values ($1, $2)
  on conflict (account_id) do update set secret = excluded.secret, updated_at = now() where two_factors.confirmed_at is null
  returning account_id`);
const CONFIRM =
  statement(`update two_factors set confirmed_at = coalesce(confirmed_at, now()), backup_codes = $2, updated_at = now()
  where account_id = $1`);
const REMOVE = statement("delete from two_factors where account_id = $1");
/** Confirms and locks the password just checked until the factor is gone: if it changed meanwhile, the factor stays. */
const STILL = statement("select 1 from accounts where id = $1 and password_hash = $2 for share");

const OWN = "concerns only the caller's own second factor";
const shared = { open: OWN, needs: "session" } as const;

/**
 * Spends an authenticator code and returns new backup codes, shown once.
 * @param wanted the required state: `pending` confirms the factor, `confirmed` replaces the codes
 */
async function newCodes(accountId: string, code: string, wanted: "pending" | "confirmed"): Promise<{ backup_codes: string[] }> {
  const codes = newBackupCodes();
  const outcome = await inOwnTransaction(async () => {
    const factor = await lockFactor(accountId);
    if (!factor || (wanted === "confirmed" && !factor.confirmed_at)) throw refusal("two_factor_not_enabled");
    if (wanted === "pending" && factor.confirmed_at) throw refusal("two_factor_already_enabled");
    const spent = spendCode(factor, "totp", code);
    if (spent === "accepted") {
      enqueue(CONFIRM, [accountId, codes.map((one) => codeDigest(accountId, plainBackupCode(one)))]);
      await mailFactorChange(accountId, wanted === "pending" ? "on" : "codes");
    } else auditCode(accountId, spent);
    return spent;
  });
  if (outcome !== "accepted") refuseCode(outcome);
  return { backup_codes: codes };
}

export default service("auth.two-factor", {
  actions: {
    read: passwordSignIn({
      ...shared,
      rest: "GET /auth/2fa",
      summary: "Read the state of your second factor",
      returns: TwoFactorStatus,
      async handler(ctx) {
        await refuseSso(ctx.meta);
        const factor = await queryOne<Factor>(FACTOR, [callerOf(ctx.meta.principal).accountId]);
        return {
          enabled: Boolean(factor?.confirmed_at),
          pending: factor !== undefined && factor.confirmed_at === null,
          backup_codes_remaining: factor?.backup_codes.length ?? 0,
          sms_available: smsAvailable(),
          sms: factor?.phone ? { phone_masked: maskedPhone(factor.phone), confirmed: factor.phone_confirmed_at !== null } : null,
        };
      },
    }),

    setup: passwordSignIn({
      ...shared,
      rest: "POST /auth/2fa/setup",
      summary: "Begin to enrol an authenticator app; the QR code of an earlier attempt stops working",
      returns: TwoFactorSetupOut,
      status: 200,
      oneTime: true,
      errors: ["two_factor_already_enabled"],
      async handler(ctx) {
        await refuseSso(ctx.meta);
        const { accountId } = callerOf(ctx.meta.principal);
        const account = await queryOutside<Account>(ACCOUNT, [accountId]);
        const brand = await queryOutside<{ brand_name: string | null }>(BRAND, [ctx.meta.organisation.id]);
        const secret = newTotpSecret();
        const otpauth = enrolmentAddress(brand?.brand_name ?? ctx.meta.host, account?.email ?? "", secret);
        const { toString: qrCode } = await import("qrcode");
        const picture = await qrCode(otpauth, { type: "svg", margin: 2 });
        const enrolled = await queryOne(ENROL, [accountId, seal(secret, secretPlace(accountId))]);
        if (!enrolled) throw refusal("two_factor_already_enabled");
        return { otpauth_url: otpauth, qr_svg: picture, secret };
      },
    }),

    confirm: passwordSignIn({
      ...shared,
      rest: "POST /auth/2fa/confirm",
      summary: "Switch the second factor on with a first code; answers the backup codes, once",
      body: CodeIn,
      returns: BackupCodesOut,
      status: 200,
      oneTime: true,
      errors: ["two_factor_not_enabled", "two_factor_already_enabled", "two_factor_code_invalid", "two_factor_locked"],
      async handler(ctx) {
        await refuseSso(ctx.meta);
        return newCodes(callerOf(ctx.meta.principal).accountId, ctx.params.body.code, "pending");
      },
    }),

    backupCodes: passwordSignIn({
      ...shared,
      rest: "POST /auth/2fa/backup-codes",
      verb: "create",
      summary: "Replace the backup codes; requires a code of the app",
      body: CodeIn,
      returns: BackupCodesOut,
      status: 200,
      oneTime: true,
      errors: ["two_factor_not_enabled", "two_factor_code_invalid", "two_factor_locked"],
      async handler(ctx) {
        await refuseSso(ctx.meta);
        return newCodes(callerOf(ctx.meta.principal).accountId, ctx.params.body.code, "confirmed");
      },
    }),

    disable: passwordSignIn({
      ...shared,
      rest: "POST /auth/2fa/disable",
      summary: "Remove your second factor; a confirmed one requires the password",
      body: DisableIn,
      errors: ["two_factor_password_invalid"],
      async handler(ctx) {
        await refuseSso(ctx.meta);
        const { accountId } = callerOf(ctx.meta.principal);
        const account = await queryOutside<Account>(ACCOUNT, [accountId]);
        const known = await queryOutside<Factor>(FACTOR, [accountId]);
        const fits = known?.confirmed_at
          ? await isCurrentPassword(accountId, ctx.params.body.password ?? "", account?.password_hash ?? null)
          : false;
        const stands = fits && (await queryOne(STILL, [accountId, account?.password_hash])) !== undefined;
        const factor = await lockFactor(accountId);
        if (factor?.confirmed_at && !stands) throw refusal("two_factor_password_invalid");
        enqueue(REMOVE, [accountId]);
        if (factor?.confirmed_at) await mailFactorChange(accountId, "off");
      },
    }),
  },
});
