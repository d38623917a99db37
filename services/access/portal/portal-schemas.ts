import { answer, choice, input, instant, integer, nullable, optional, Type } from "../../../core/declare/schema.ts";
import { inviteMailFields } from "../invite-mail.ts";

export const PortalLoginState = answer("PortalLoginState", {
  email: nullable(Type.String()),
  entity_type: Type.String(),
  invite_email: nullable(Type.String()),
  ...inviteMailFields,
  status: choice(["none", "invited", "active", "disabled"], { default: "none" }),
  subject_id: Type.String(),
});

export const PortalImpersonateRequest = input("PortalImpersonateRequest", {
  minutes: optional(integer(1, 1440, { default: 30 })),
});

export const PortalImpersonateResponse = answer("PortalImpersonateResponse", {
  cookie: Type.String(),
  expires_at: instant(),
  target_email: Type.String(),
  target_name: nullable(Type.String()),
  token: Type.String(),
});
