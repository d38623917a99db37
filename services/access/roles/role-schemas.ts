import {
  answer,
  flag,
  input,
  integer,
  label,
  list,
  map,
  multiline,
  names,
  nullable,
  optional,
  Type,
} from "../../../core/schema/schema.ts";

const ROLE = {
  key: "Key of the role, unique in the organisation; it never changes. Stored in lower case",
  is_system: "Whether it is one of the four system roles",
  member_count: "Number of members who have it",
  permissions:
    "Permissions of the role, each in stored form: `<key>`, or `<key>:own` and `<key>:any` where it has scopes. When sent they replace the set; null leaves it",
  position: "Position in the list of roles: lower numbers come first",
};

const PREFS = { prefs: "Preferences of the person in this organisation, by name; the application defines their meaning" };

/** A role's description can have several lines. */
const descriptions = (options = {}) => map(multiline(), options);

export const RoleRead = answer(
  "RoleRead",
  {
    description_i18n: descriptions(),
    id: Type.String(),
    is_system: flag(),
    key: Type.String(),
    member_count: Type.Integer(),
    name_i18n: names(),
    permissions: list(Type.String()),
    position: integer(),
  },
  ROLE,
);

export const RoleCreate = input(
  "RoleCreate",
  {
    key: label(64),
    name_i18n: optional(names({ default: {} })),
    description_i18n: optional(descriptions({ default: {} })),
    permissions: optional(nullable(list(Type.String()))),
    position: optional(integer(undefined, undefined, { default: 100 })),
  },
  ROLE,
);

/** Null leaves a field unchanged, as if not sent (access §5). */
export const RoleUpdate = input(
  "RoleUpdate",
  {
    name_i18n: optional(nullable(names())),
    description_i18n: optional(nullable(descriptions())),
    permissions: optional(nullable(list(Type.String()))),
    position: optional(nullable(integer())),
  },
  ROLE,
);

export const EffectivePermissions = answer(
  "EffectivePermissions",
  {
    membership_id: Type.String(),
    permissions: list(Type.String()),
    role_ids: list(Type.String()),
    user_id: Type.String(),
  },
  {
    membership_id: "The membership",
    permissions: "Permissions of its roles together, sorted; `*` alone for an owner",
    role_ids: "Roles of the member",
    user_id: "The account",
  },
);

export const MembershipRolesUpdate = input(
  "MembershipRolesUpdate",
  { role_ids: list(Type.String()) },
  { role_ids: "Roles that replace those of the member: exactly one system role and any number of custom ones" },
);

export const UserPrefs = answer(
  "UserPrefs",
  {
    prefs: Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, default: {} }),
  },
  PREFS,
);
export const UserPrefsUpdate = input(
  "UserPrefsUpdate",
  {
    prefs: optional(Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, default: {} })),
  },
  {
    prefs:
      "Preferences to merge: an object is merged one level deep into the stored one of that name, any other value replaces it",
  },
);
