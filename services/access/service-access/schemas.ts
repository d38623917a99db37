import { answer, instant, integer, nullable, Type } from "../../../core/schema/schema.ts";

const STATE = {
  created_at: "When the latest PIN was issued, UTC; null if there never was one",
  expires_at: "When the latest PIN stops working, UTC, unless it is revoked before; null if there never was one",
  created_by_email: "E-mail address of its issuer; null if there never was one, or if a service account issued it",
  pin_hours: "Hours for which a new PIN works",
};

const state = {
  active: Type.Boolean({ default: false, description: "Whether the PIN still opens the organisation's data" }),
  claimed: Type.Boolean({ default: false, description: "Whether the operator has entered it" }),
  created_at: nullable(instant()),
  expires_at: nullable(instant()),
  created_by_email: nullable(Type.String()),
  pin_hours: integer(),
};

export const ServiceAccessStatus = answer("ServiceAccessStatus", state, STATE);
export const ServiceAccessIssued = answer(
  "ServiceAccessIssued",
  {
    ...state,
    pin: Type.String({ description: "Shown in this answer and nowhere else", example: "1234-5678-9012" }),
  },
  STATE,
);
