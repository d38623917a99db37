import { answer, flag, input, instant, line, list, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

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
