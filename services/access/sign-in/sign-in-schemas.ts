import {
  answer,
  email,
  flag,
  input,
  instant,
  integer,
  line,
  list,
  nullable,
  optional,
  presented,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";

export const LoginForm = input("LoginForm", {
  username: text(320, { example: "owner@demo.localhost" }),
  password: Type.Unsafe<string>({ type: "string", format: "password", maxLength: 1024 }),
  grant_type: optional(Type.Unsafe<string | null>({ type: ["string", "null"], enum: ["password", null] })),
  scope: optional(line({ default: "" })),
  client_id: optional(nullable(text(255))),
  client_secret: optional(Type.Unsafe<string | null>({ type: ["string", "null"], format: "password" })),
});

export const LoginChallenge = answer("LoginChallenge", {
  challenge_token: Type.String(),
  methods: list(Type.String()),
  two_factor_required: flag(true),
});

/** The flags are taken and ignored (access §1.3). */
export const UserCreate = input("UserCreate", {
  email: email(),
  password: presented(1024),
  full_name: optional(nullable(text(255))),
  is_active: optional(nullable(flag(true))),
  is_superuser: optional(nullable(flag(false))),
  is_verified: optional(nullable(flag(false))),
});
export const EmailOnly = input("EmailOnly", { email: email() });
export const TokenOnly = input("TokenOnly", { token: presented(500) });
export const PasswordReset = input("PasswordReset", {
  token: presented(500),
  password: presented(1024),
});

const TwoFactorSmsInfo = answer("TwoFactorSmsInfo", { confirmed: flag(), phone_masked: Type.String() });
export const TwoFactorStatus = answer("TwoFactorStatus", {
  backup_codes_remaining: integer(undefined, undefined, { default: 0 }),
  enabled: flag(),
  pending: flag(),
  sms: nullable(TwoFactorSmsInfo),
  sms_available: flag(false),
});
export const TwoFactorSetupOut = answer("TwoFactorSetupOut", {
  otpauth_url: Type.String(),
  qr_svg: Type.String(),
  secret: Type.String(),
});
export const BackupCodesOut = answer("BackupCodesOut", { backup_codes: list(Type.String()) });
export const SmsSendOut = answer("SmsSendOut", { phone_masked: Type.String() });
export const CodeIn = input("CodeIn", { code: presented(32, { minLength: 1 }) });
export const SmsSetupIn = input("SmsSetupIn", { phone: text(32) });
export const DisableIn = input("DisableIn", { password: optional(presented(128, { default: "" })) });
export const ChallengeSms = input("ChallengeSms", { challenge_token: presented(500) });
export const ChallengeVerify = input("ChallengeVerify", {
  challenge_token: presented(500),
  code: presented(32, { minLength: 1 }),
  method: optional(Type.Unsafe<"totp" | "backup" | "sms">({ type: "string", enum: ["totp", "backup", "sms"], default: "totp" })),
});

export const SessionRead = answer("SessionRead", {
  id: uuid(),
  created_at: instant(),
  last_used_at: instant(),
  expires_at: instant(),
  address: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  method: Type.String(),
  current: flag(),
});
