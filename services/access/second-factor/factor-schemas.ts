import { answer, flag, input, integer, list, nullable, optional, presented, Type, text } from "../../../core/schema/schema.ts";

const TwoFactorSmsInfo = answer(
  "TwoFactorSmsInfo",
  { confirmed: flag(), phone_masked: Type.String() },
  {
    confirmed: "Whether the number was confirmed by a code",
    phone_masked: "The number with its first and last three characters",
  },
);
export const TwoFactorStatus = answer(
  "TwoFactorStatus",
  {
    backup_codes_remaining: integer(undefined, undefined, { default: 0 }),
    enabled: flag(),
    pending: flag(),
    sms: nullable(TwoFactorSmsInfo),
    sms_available: flag(false),
  },
  {
    backup_codes_remaining: "Number of backup codes that were not used",
    enabled: "Whether sign-in requires a second factor",
    pending: "Whether a setup waits for its first code",
    sms: "Number for codes by text message; null without one",
    sms_available: "Whether this installation sends text messages",
  },
);
export const TwoFactorSetupOut = answer(
  "TwoFactorSetupOut",
  {
    otpauth_url: Type.String(),
    qr_svg: Type.String(),
    secret: Type.String(),
  },
  {
    otpauth_url: "Address that an authenticator application reads",
    qr_svg: "The address as a QR code, in SVG",
    secret: "The secret in Base32, to type by hand",
  },
);
export const BackupCodesOut = answer(
  "BackupCodesOut",
  { backup_codes: list(Type.String()) },
  { backup_codes: "Ten codes, each valid once. No other answer contains them" },
);
export const SmsSendOut = answer(
  "SmsSendOut",
  { phone_masked: Type.String() },
  { phone_masked: "The number the code was sent to, with its first and last three characters" },
);
export const CodeIn = input("CodeIn", { code: presented(32, { minLength: 1 }) }, { code: "The code, as the person reads it" });
export const SmsSetupIn = input("SmsSetupIn", { phone: text(32) }, { phone: "Number with `+` and country code, 7 to 15 digits" });
export const DisableIn = input(
  "DisableIn",
  { password: optional(presented(128, { default: "" })) },
  { password: "Password of the account; not needed while no second factor is enabled" },
);
export const ChallengeSms = input(
  "ChallengeSms",
  { challenge_token: presented(500) },
  { challenge_token: "The token of the sign-in" },
);
export const ChallengeVerify = input(
  "ChallengeVerify",
  {
    challenge_token: presented(500),
    code: presented(32, { minLength: 1 }),
    method: optional(
      Type.Unsafe<"totp" | "backup" | "sms">({ type: "string", enum: ["totp", "backup", "sms"], default: "totp" }),
    ),
  },
  {
    challenge_token: "The token of the sign-in",
    code: "The code, as the person reads it",
    method: "The second factor the code is from",
  },
);
