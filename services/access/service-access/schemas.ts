import { answer, instant, integer, nullable, Type } from "../../../core/schema/schema.ts";

const STATE = {
  created_at: "When the PIN was issued, UTC; null if none is valid",
  expires_at: "When the PIN stops working, UTC; null if none is valid",
  created_by_email: "E-mail address of its issuer; null if none is valid",
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
