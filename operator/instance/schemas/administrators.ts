import { CAPABILITIES } from "../../../core/declare/instance.ts";
import { answer, flag, input, instant, label, list, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";
import { capability } from "./sign-in.ts";

export const AdministratorRead = answer(
  "InstanceAdministrator",
  {
    id: uuid(),
    email: Type.String(),
    full_name: nullable(Type.String()),
    capabilities: list(capability()),
    is_active: flag(),
    has_second_factor: flag(),
    created_at: instant(),
  },
  {
    id: "Id of the administrator",
    email: "E-mail address to sign in with",
    full_name: "Name; null if none was entered",
    capabilities: "What the administrator has the right to",
    is_active: "Whether the administrator can sign in; keys of a deactivated one do not work",
    has_second_factor: "Whether the second factor is confirmed, which happens with the first sign-in",
    created_at: "When the administrator was added",
  },
);
export const AdministratorList = list(AdministratorRead);

const capabilities = () => Type.Array(capability(), { maxItems: CAPABILITIES.length, example: ["organisations", "plans"] });

export const AdministratorCreate = input(
  "InstanceAdministratorCreate",
  {
    email: text(320, { example: "colleague@agency.example" }),
    full_name: optional(nullable(label(200))),
    capabilities: capabilities(),
  },
  {
    email: "E-mail address to sign in with",
    full_name: "Name; null or absent for none",
    capabilities: "What the administrator has the right to, of what you have",
  },
);

export const AdministratorAdded = answer(
  "InstanceAdministratorAdded",
  { id: uuid(), email: Type.String(), capabilities: list(capability()), password: Type.String() },
  {
    id: "Id of the administrator",
    email: "E-mail address in lower case",
    capabilities: "What the administrator has the right to",
    password: "Password of the first sign-in, shown once; it works for seven days",
  },
);

export const AdministratorReset = answer(
  "InstanceAdministratorReset",
  { password: Type.String() },
  { password: "Password of the next sign-in, shown once; it works for seven days" },
);

export const AdministratorChange = input(
  "InstanceAdministratorChange",
  {
    full_name: optional(nullable(label(200))),
    capabilities: optional(capabilities()),
    is_active: optional(flag()),
  },
  {
    full_name: "Name; null clears it",
    capabilities: "What the administrator has the right to from now on",
    is_active: "Whether the administrator can sign in",
  },
);
