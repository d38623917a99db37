import { CAPABILITIES } from "../../../core/declare/instance.ts";
import { answer, input, instant, label, list, nullable, optional, Type, uuid } from "../../../core/schema/schema.ts";
import { capability } from "./sign-in.ts";

const KEY = {
  id: uuid(),
  administrator_id: uuid(),
  name: Type.String(),
  lookup: Type.String(),
  capabilities: list(capability()),
  organisations: nullable(list(uuid())),
  expires_at: nullable(instant()),
  revoked_at: nullable(instant()),
  last_used_at: nullable(instant()),
  created_at: instant(),
};
const KEY_TEXTS = {
  id: "Id of the key",
  administrator_id: "Id of the administrator whose key it is",
  name: "What the key is for",
  lookup: "The twelve characters of its value that are no secret",
  capabilities: "What the key allows, as far as its administrator has it at the time of a call",
  organisations: "Ids of the only organisations that it concerns; null for all",
  expires_at: "When it stops working; null if it does not",
  revoked_at: "When it was revoked; null if it was not",
  last_used_at: "When it was last used, to the minute; null if it never was",
  created_at: "When it was issued",
};

export const KeyRead = answer("InstanceKey", KEY, KEY_TEXTS);
export const KeyList = list(KeyRead);
export const KeyCreated = answer(
  "InstanceKeyCreated",
  { ...KEY, value: Type.String() },
  { ...KEY_TEXTS, value: "Value of `X-API-Key`, shown once" },
);

export const KeyCreate = input(
  "InstanceKeyCreate",
  {
    name: label(120),
    capabilities: Type.Array(capability(), { minItems: 1, maxItems: CAPABILITIES.length, example: ["organisations"] }),
    organisations: optional(nullable(Type.Array(uuid(), { minItems: 1, maxItems: 1000 }))),
    expires_at: optional(nullable(instant())),
  },
  {
    name: "What the key is for",
    capabilities: "What the key allows, of what you have",
    organisations: "Ids of the only organisations that it concerns; null or absent for all",
    expires_at: "When it stops working, at most a year ahead; null or absent if it does not",
  },
);
