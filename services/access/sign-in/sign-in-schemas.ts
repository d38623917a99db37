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
} from "../../../core/schema/schema.ts";

export const LoginForm = input(
  "LoginForm",
  {
    username: text(320, { example: "owner@demo.localhost" }),
    password: Type.Unsafe<string>({ type: "string", format: "password", maxLength: 1024 }),
    grant_type: optional(Type.Unsafe<string | null>({ type: ["string", "null"], enum: ["password", null] })),
    scope: optional(line({ default: "" })),
    client_id: optional(nullable(text(255))),
    client_secret: optional(Type.Unsafe<string | null>({ type: ["string", "null"], format: "password" })),
  },
  {
    username: "E-mail address of the account, in any case",
    password: "Password of the account",
    grant_type: "Accepted for clients of OAuth libraries and not used",
    scope: "Accepted and not used",
    client_id: "Accepted and not used",
    client_secret: "Accepted and not used",
  },
);

export const LoginChallenge = answer(
  "LoginChallenge",
  {
    challenge_token: Type.String(),
    methods: list(Type.String()),
    two_factor_required: flag(true),
  },
  {
    challenge_token: "Token for `POST /auth/2fa/verify`, good for 300 seconds",
    methods: "Second factors the person can use, in order of preference: `totp`, `backup`, `sms`",
    two_factor_required: "Always true: no session exists yet",
  },
);

/** The flags are accepted and ignored (access §1.3). */
export const UserCreate = input(
  "UserCreate",
  {
    email: email(),
    password: presented(1024),
    full_name: optional(nullable(text(255))),
    is_active: optional(nullable(flag(true))),
    is_superuser: optional(nullable(flag(false))),
    is_verified: optional(nullable(flag(false))),
  },
  {
    email: "E-mail address of the new account, stored in lower case",
    password: "8 to 128 characters, and not the e-mail address",
    full_name: "Full name; null if none",
    is_active: "Accepted and ignored: a new account is active",
    is_superuser: "Accepted and ignored: a new account never is an instance administrator",
    is_verified: "Accepted and ignored: a new account is not verified",
  },
);
export const EmailOnly = input("EmailOnly", { email: email() }, { email: "E-mail address of the account" });
export const TokenOnly = input(
  "TokenOnly",
  { token: presented(500) },
  { token: "The token in the link of the mail, good for one hour" },
);
export const PasswordReset = input(
  "PasswordReset",
  {
    token: presented(500),
    password: presented(1024),
  },
  {
    token: "The token in the link of the mail, good once: for one hour, or seven days with an invitation",
    password: "The new password: 8 to 128 characters, and not the e-mail address",
  },
);

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

export const SessionRead = answer(
  "SessionRead",
  {
    id: uuid(),
    created_at: instant(),
    last_used_at: instant(),
    expires_at: instant(),
    address: nullable(Type.String()),
    user_agent: nullable(Type.String()),
    method: Type.String(),
    current: flag(),
  },
  {
    id: "The session",
    created_at: "When the person signed in, UTC",
    last_used_at: "When the session was last used, UTC",
    expires_at: "When it ends unless it is used, UTC",
    address: "Network address the person signed in from; null if not known",
    user_agent: "Browser the person signed in with, as it names itself; null if not known",
    method: "How it was made: `password` or `sso`",
    current: "Whether it is the session of this call",
  },
);
