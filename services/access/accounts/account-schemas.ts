import { email, flag, input, nullable, optional, presented, text } from "../../../core/schema/schema.ts";

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
