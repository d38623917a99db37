import { answer, choice, input, instant, integer, nullable, optional, Type } from "../../../core/schema/schema.ts";
import { inviteMailFields } from "../invite-mail.ts";

export const PortalLoginState = answer(
  "PortalLoginState",
  {
    email: nullable(Type.String()),
    entity_type: Type.String(),
    invite_email: nullable(Type.String()),
    ...inviteMailFields,
    status: choice(["none", "invited", "active", "disabled"], { default: "none" }),
    subject_id: Type.String(),
  },
  {
    email: "E-mail address of the login; null without a login",
    entity_type: "Kind of the record, always `contact`",
    invite_email: "E-mail address of the contact, which invitations go to; null if none",
    status: "`none`: no login; `invited`: enabled, mailbox not verified; `active`: enabled and verified; `disabled`",
    subject_id: "The contact",
  },
);

export const PortalImpersonateRequest = input(
  "PortalImpersonateRequest",
  {
    minutes: optional(integer(1, 1440, { default: 30 })),
  },
  { minutes: "Minutes to act in the login, cut to the limit of the installation, which is 60 unless it sets another" },
);

export const PortalImpersonateResponse = answer(
  "PortalImpersonateResponse",
  {
    cookie: Type.String(),
    expires_at: instant(),
    target_email: Type.String(),
    target_name: nullable(Type.String()),
    token: Type.String(),
  },
  {
    cookie: "Name of the cookie that carries the grant",
    expires_at: "When the grant ends, UTC",
    target_email: "E-mail address of the login",
    target_name: "Full name of the login; null if none",
    token: "Value of that cookie, which the answer also sets",
  },
);
